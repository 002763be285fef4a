/**
 * A browser may take `bellhop.localhost` for ::1, where Bellhop does not listen. If another program does, on the same
 * port, it would get the link's code: then the link names the address that is certainly Bellhop's.
 */
import { connect } from "node:net";

const NAME = "bellhop.localhost";
const ADDRESS = "127.0.0.1";
const DEADLINE_MS = 500;

export async function certainLink(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  if (hostname !== NAME || !(await somebodyListens("::1", Number(port)))) return url;
  return url.replace(NAME, ADDRESS);
}

export function somebodyListens(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect({ host, port });
    const settle = (listens: boolean) => {
      probe.destroy();
      resolve(listens);
    };
    probe.setTimeout(DEADLINE_MS, () => settle(true));
    probe.once("connect", () => settle(true));
    // Refused, or there is no IPv6 here.
    probe.once("error", () => settle(false));
  });
}
