import { describe, expect, it } from "vitest";
import { checkHost, checkOrigin, checkPageFetch, ownHosts, type RequestHead } from "./auth.ts";

const TUNNEL = "laptop.example.ts.net";
const HOSTS = ownHosts(2355, TUNNEL);

const head = (headers: Readonly<Record<string, string>>): RequestHead => ({
  method: "POST",
  rawHeaders: Object.entries(headers).flat(),
});

function verdict(host: string, origin: string | undefined): number {
  const request = head({ Host: host, ...(origin === undefined ? {} : { Origin: origin }) });
  for (const rule of [checkHost, checkOrigin]) {
    const found = rule(request, HOSTS);
    if (found.kind === "refused") return found.status;
  }
  return 200;
}

const NAMES = ["127.0.0.1:2355", "localhost:2355", "[::1]:2355", "bellhop.localhost:2355"];
const STRANGE_HOSTS = [
  "evil.example",
  "bellhop.localhost",
  "bellhop.localhost:3000",
  "evil.bellhop.localhost:2355",
  "bellhop.localhost.evil.example:2355",
  "[::1]",
  "[::1]:3000",
  "[0:0:0:0:0:0:0:1]:2355",
  "0.0.0.0:2355",
  `${TUNNEL}:2355`,
  `${TUNNEL}.`,
  `evil.${TUNNEL}`,
];
const STRANGE_ORIGINS = [
  "null",
  "",
  "http://evil.example",
  "http://bellhop.localhost",
  "http://bellhop.localhost:3000",
  "https://bellhop.localhost:2355",
  "http://localhost:5173",
  "http://127.0.0.1:8080",
  `http://${TUNNEL}`,
  `https://${TUNNEL}:8443`,
  `https://evil.${TUNNEL}`,
];

describe("a page and the name it came by", () => {
  const own: readonly [host: string, origin: string][] = [
    ...NAMES.map((name): [string, string] => [name, `http://${name}`]),
    [TUNNEL, `https://${TUNNEL}`],
  ];

  it.each(own)("%s takes its own page, and programs", (host, origin) => {
    expect(verdict(host, origin)).toBe(200);
    expect(verdict(host.toUpperCase(), origin)).toBe(200);
    expect(verdict(host, undefined)).toBe(200);
  });

  it.each(own)("%s takes no page of another name, port or scheme", (host, origin) => {
    const others = own.map(([, other]) => other).filter((other) => other !== origin);
    for (const foreign of [...others, ...STRANGE_ORIGINS])
      expect([foreign, verdict(host, foreign)]).toEqual([foreign, 403]);
  });

  it.each(STRANGE_HOSTS)("%s is no name of ours, whatever page asks", (host) => {
    for (const origin of [undefined, `http://${host}`, `https://${host}`, "http://bellhop.localhost:2355"])
      expect(verdict(host, origin)).toBe(421);
  });

  it("knows the tunnel's name only while it is configured", () => {
    const request = head({ Host: TUNNEL });
    expect(checkHost(request, HOSTS).kind).toBe("admitted");
    expect(checkHost(request, ownHosts(2355))).toMatchObject({ status: 421 });
  });
});

describe("the files of the page", () => {
  it.each<[string, Readonly<Record<string, string>>, number]>([
    ["a program", {}, 200],
    ["a typed address", { "Sec-Fetch-Site": "none" }, 200],
    ["our own page", { "Sec-Fetch-Site": "same-origin" }, 200],
    ["our own page, of whatever origin", { Origin: "null", "Sec-Fetch-Site": "same-origin" }, 200],
    [
      "a link elsewhere",
      { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" },
      200,
    ],
    [
      "a frame elsewhere",
      { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe" },
      403,
    ],
    [
      "a script elsewhere",
      { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script" },
      403,
    ],
    [
      "a page on another port",
      { "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty" },
      403,
    ],
    ["somebody who says only that", { "Sec-Fetch-Site": "cross-site" }, 403],
  ])("for %s", (_, headers, status) => {
    const found = checkPageFetch(head(headers));
    expect(found.kind === "admitted" ? 200 : found.status).toBe(status);
  });
});
