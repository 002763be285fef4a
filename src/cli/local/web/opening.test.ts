import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openerOn, openLink } from "./opener.ts";
import { certainLink, somebodyListens } from "./own-address.ts";

it.each([
  ["linux", {}, undefined],
  ["linux", { DISPLAY: "" }, undefined],
  ["linux", { DISPLAY: ":0" }, "xdg-open"],
  ["linux", { WAYLAND_DISPLAY: "wayland-0" }, "xdg-open"],
  ["darwin", {}, "open"],
  ["darwin", { SSH_CONNECTION: "10.0.0.2 1 10.0.0.1 22" }, undefined],
] as const)("on %s with %j, links are opened by %s", (platform, env, opener) => {
  expect(openerOn(platform, env)).toBe(opener);
});

it("opens nothing if the opener is not there, or cannot be started", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bellhop-opener-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { DISPLAY: ":0", PATH: folder };
  expect(await openLink("http://x/", "linux", env)).toBe("not");
  const opener = join(folder, "xdg-open");
  writeFileSync(opener, "#!/no/such/interpreter\n");
  chmodSync(opener, 0o755);
  expect(await openLink("http://x/", "linux", env)).toBe("not");
  writeFileSync(opener, "#!/bin/sh\n");
  expect(await openLink("http://x/", "linux", env)).toBe("opened");
});

it("names the address if somebody else may be behind the name", async () => {
  const other = createServer();
  onTestFinished(() => void other.close());
  other.listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  expect(await somebodyListens("127.0.0.1", port)).toBe(true);
  // Nobody listens at ::1.
  expect(await certainLink(`http://bellhop.localhost:${port}/#c`)).toBe(
    `http://bellhop.localhost:${port}/#c`,
  );
  const squatter = createServer();
  onTestFinished(() => void squatter.close());
  const isThere = await new Promise<boolean>((resolve) => {
    squatter.once("error", () => resolve(false));
    squatter.listen(port, "::1", () => resolve(true));
  });
  // A machine without IPv6 has nobody there.
  const host = isThere ? "127.0.0.1" : "bellhop.localhost";
  expect(await certainLink(`http://bellhop.localhost:${port}/#c`)).toBe(`http://${host}:${port}/#c`);
  expect(await certainLink("https://laptop.example.ts.net/#c")).toBe("https://laptop.example.ts.net/#c");
});
