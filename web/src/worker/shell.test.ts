import { describe, expect, it } from "vitest";
import { cacheName, isKept, outdated, wayOf } from "./shell.ts";

const shell = { origin: "http://bellhop.localhost:2355", files: ["/assets/page-1.js", "/icon-192.png"] };
const way = (
  path: string,
  more: Partial<{ method: string; mode: string; destination: string; origin: string }> = {},
) => {
  const { method = "GET", mode = "cors", destination = "document", origin = shell.origin } = more;
  const found = wayOf({ method, mode, destination, url: `${origin}${path}` }, shell);
  return found.kind === "file" ? found.path : found.kind;
};

describe("the service worker", () => {
  it("answers for the page and its files", () => {
    expect(way("/", { mode: "navigate" })).toBe("page");
    expect(way("/agents/api?see=terminal", { mode: "navigate" })).toBe("page");
    expect(way("/assets/page-1.js")).toBe("/assets/page-1.js");
    expect(way("/icon-192.png")).toBe("/icon-192.png");
  });

  it.each([
    "/",
    "/status",
    "/sessions",
    "/web/push",
    "/web/sessions",
    "/openapi.json",
    "/attention/x/answer",
  ])("leaves %s to the daemon", (path) => {
    expect(way(path)).toBe("elsewhere");
  });

  it("leaves alone what is not for it", () => {
    expect(way("/assets/page-1.js", { method: "POST" })).toBe("elsewhere");
    expect(way("/", { mode: "navigate", method: "POST" })).toBe("elsewhere");
    for (const destination of ["iframe", "frame", "embed", "object"])
      expect(way("/", { mode: "navigate", destination })).toBe("elsewhere");
    expect(way("/assets/page-2.js")).toBe("elsewhere");
    expect(way("/assets/page-1.js?x")).toBe("elsewhere");
    expect(way("/assets/../assets/page-1.js/..")).toBe("elsewhere");
    for (const origin of ["http://bellhop.localhost:5173", "https://bellhop.localhost:2355"])
      expect([origin, way("/assets/page-1.js", { origin })]).toEqual([origin, "elsewhere"]);
  });

  it("keeps the files of one build", () => {
    const names = [cacheName("old"), cacheName("new"), "somebody else's"];
    expect(outdated(names, "new")).toEqual([cacheName("old")]);
  });

  it("keeps nothing but what the daemon served as it is", () => {
    const good = { status: 200, type: "basic", redirected: false };
    expect(isKept(good)).toBe(true);
    for (const bad of [
      { status: 206 },
      { status: 404 },
      { status: 0 },
      { type: "opaque" },
      { type: "cors" },
      { redirected: true },
    ])
      expect([bad, isKept({ ...good, ...bad })]).toEqual([bad, false]);
  });
});
