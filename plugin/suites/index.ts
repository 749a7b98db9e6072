export { tasksFolder } from './place.ts'
