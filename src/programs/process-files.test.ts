import { closeSync, mkdtempSync, openSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseLsof, processFilesOn } from "./process-files.ts";

describe("processFilesOn", () => {
  it("sees this process's own files and ports", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "bh-open-")));
    const file = join(folder, "a file");
    const descriptor = openSync(file, "w");
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const door = createServer();
    await new Promise<void>((resolve) => door.listen(join(folder, "a door"), resolve));
    const files = processFilesOn(process.platform);
    const { paths, listeningPorts, listeningSockets } = await files.openFiles(process.pid);
    expect(paths).toContain(file);
    expect(listeningSockets).toContain(join(folder, "a door"));
    expect(listeningPorts).toContain(address !== null && typeof address === "object" ? address.port : 0);
    closeSync(descriptor);
    await new Promise((resolve) => door.close(resolve));
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });

  it("sees nothing of a process that is not there", async () => {
    expect(await processFilesOn(process.platform).openFiles(2 ** 22 + 1)).toEqual({
      paths: [],
      listeningPorts: [],
      listeningSockets: [],
    });
  });
});

describe("parseLsof", () => {
  it("reads files, listening ports and Unix sockets", () => {
    const output =
      "p21858\nf3\ntREG\nn/home/dev/a b.lock\nf5\ntunix\nn/home/dev/a door\nf37\ntIPv4\nn127.0.0.1:45395\nTST=LISTEN\nTQR=0\nf38\nn127.0.0.1:45395->127.0.0.1:45756\nTST=ESTABLISHED\n";
    expect(parseLsof(output)).toEqual({
      paths: ["/home/dev/a b.lock"],
      listeningPorts: [45395],
      listeningSockets: ["/home/dev/a door"],
    });
  });
});
