/** Names of the modules that can decode now: compiled, or with their bytes inside. */
export const ready = new Set<string>();
