const sourceName = /\.(?:h|hh|hpp|hxx|inc|inl|ipp|tpp|def|c|cc|cpp|cxx|cmake)$|(?:^|\/)CMakeLists\.txt$/

/** Whether a file is a source of an operator by its name: nothing else is read by a build. */
export const isSource = (name: string): boolean => sourceName.test(name)

/** An operator has no more sources. */
export const maxSources = 4000
