export { drawPattern, Draws, type DrawName } from './draws.ts'
export { Guide, type Choice, type Course, type GuideOptions } from './guide.ts'
