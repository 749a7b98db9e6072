/** What some editors write before the first line of a text. */
export const byteOrderMark = /^\uFEFF/
