/** The two editions of this toolset: the same tools, limits and schemas; failed file operations are worded apart. */
export type IndusagiEdition = "rust" | "python";
