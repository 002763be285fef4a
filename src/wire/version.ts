/** Set by the build from package.json; absent when the sources run as they are. */
declare const BELLHOP_VERSION: string | undefined;

export const VERSION: string = typeof BELLHOP_VERSION === "string" ? BELLHOP_VERSION : "0.0.0-source";
