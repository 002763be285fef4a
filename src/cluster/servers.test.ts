import { describe, expect, it } from "vitest";
import { FakeClock, OpenWork } from "../../tests/desk/clock.ts";
import { BellhopError } from "../core/errors.ts";
import { Servers } from "./servers.ts";

const serversAt = (url: string, credentials?: () => string) =>
  new Servers({ servers: [url], credentials, name: "test" }, new FakeClock(new OpenWork()), () => 0);

describe("the servers of NATS", () => {
  it("have no secret in their addresses, and none is repeated", () => {
    for (const url of ["nats://me:hunter2@a", "tls://hunter2@a:4222", "me:hunter2@a"])
      expect(() => serversAt(url)).toThrow(
        expect.objectContaining({
          code: "config.invalid",
          message: "The address of a NATS server has a name, a password or a token in it.",
          next: "Put that into a file which nobody else may read, and name the file in cluster.credentials.",
        }),
      );
  });

  it("are told credentials that are read at each connection, also by who only tests the way", async () => {
    let reads = 0;
    const servers = serversAt("nats://127.0.0.1:1", () => {
      reads += 1;
      throw new BellhopError("file.unsafe", { message: "Others may read /creds.", next: 'Run "chmod 600".' });
    });
    for (const times of [1, 2]) {
      await expect(servers.connect(new AbortController().signal)).rejects.toMatchObject({
        message: 'the credentials cannot be used: Others may read /creds. Run "chmod 600".',
        retry: "rarely",
      });
      expect(reads).toBe(times);
    }
  });
});
