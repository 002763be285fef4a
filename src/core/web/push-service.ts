/** The services that bring notifications to browsers. Bellhop sends to these and to nobody else. Pure. */

/** Of Chrome and its relatives, Firefox, Safari, Edge. `*.`: any name before it. */
export const PUSH_SERVICES: readonly string[] = [
  "fcm.googleapis.com",
  "updates.push.services.mozilla.com",
  "*.push.apple.com",
  "*.notify.windows.com",
];

export const PUSH = {
  endpointCharacters: 1_024,
  /** Of the browser's key, a point on a curve, and of the secret that it shares: base64url. */
  keyCharacters: 87,
  secretCharacters: 22,
} as const;

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const SERVICE = new RegExp(`^${LABEL}(?:\\.${LABEL})*(?::[1-9][0-9]{0,4})?$`);

/** What to write in the place of a service of one's own; undefined if it is right. */
export function insteadOfPushService(text: string): string | undefined {
  if (SERVICE.test(text)) return undefined;
  return "a host name in small letters, perhaps with a port, such as push.example.org";
}

/** The service behind an endpoint, as the person knows it; undefined if Bellhop does not send there. */
export function pushServiceOf(endpoint: string, own: readonly string[]): string | undefined {
  if (endpoint.length > PUSH.endpointCharacters || !URL.canParse(endpoint)) return undefined;
  const { protocol, host, username, password, hash } = new URL(endpoint);
  if (protocol !== "https:" || username !== "" || password !== "" || hash !== "") return undefined;
  return [...PUSH_SERVICES, ...own].some((service) => isOf(service, host)) ? host : undefined;
}

function isOf(service: string, host: string): boolean {
  // An address leaves out the port that https has anyway.
  if (!service.startsWith("*.")) return host === service.replace(/:443$/, "");
  const name = host.slice(0, -service.length + 1);
  return host.endsWith(service.slice(1)) && new RegExp(`^${LABEL}(?:\\.${LABEL})*$`).test(name);
}
