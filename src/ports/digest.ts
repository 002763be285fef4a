/** SHA-256 of a text, in hex. */
export type Digest = (text: string) => string;
