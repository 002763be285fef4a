/** The name by which the person's own tunnel or proxy serves the dashboard: a host name, perhaps with a port. */
const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})+(?::[1-9][0-9]{0,4})?$`, "i");

/** What to write in its place; undefined if it is right, or empty. */
export function insteadOfWebName(text: string): string | undefined {
  // An address in digits has no certificate, and 0.0.0.0 is nobody's name.
  if (text === "" || (NAME.test(text) && !/\.[0-9]+(?::|$)/.test(text))) return undefined;
  return "a host name that has a certificate, such as laptop.example.ts.net";
}
