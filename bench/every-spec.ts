/// <reference types="vite/client" />
// Importing this defines every task of the repository.
import.meta.glob('../tasks/**/*.spec.ts', { eager: true })
