/** Set by the build from package.json; absent if the sources run directly. */
declare const BELLHOP_VERSION: string | undefined;

export const VERSION: string = typeof BELLHOP_VERSION === "string" ? BELLHOP_VERSION : "0.0.0-source";
