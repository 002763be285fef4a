/** Why the real engine is down: servers that are not there, or refuse this host, and TLS. */
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { LEAST_PAYLOAD_BYTES } from "../../src/cluster/session.ts";
import type { HostName } from "../../src/core/cluster/hosts.ts";
import { readCredentials } from "../../src/daemon/cluster-makers.ts";
import type { ClusterEngine } from "../../src/ports/cluster-engine.ts";
import { BAG_LIMITS } from "../../src/wire/cluster/parcels.ts";
import type { Nats } from "../rig/nats.ts";
import { removeFolder } from "../rig/remove-folder.ts";
import { bytes, isDown, isUp, Listening } from "./cluster-listening.ts";
import { credentialsOf, engine, nats } from "./cluster-nats-stage.ts";

/** With credentials in a file, as the daemon reads them. */
function as(line: string, { urls }: Nats, host: HostName, ears = new Listening()): ClusterEngine {
  return engine(urls, host, ears, { credentials: credentialsOf(line) });
}

describe("why it is down", () => {
  it.each([
    ["nobody listens", "nats://127.0.0.1:1", "cannot reach nats://127.0.0.1:1: connection refused"],
    [
      "the name is unknown",
      "tls://nats.invalid:4222",
      /^cannot reach tls:\/\/nats\.invalid:4222: (?:there is no host of this name|the name of the host cannot be looked up now)$/u,
    ],
  ])("%s", async (_, url, reason) => {
    expect(await isDown(engine([url], "laptop"))).toMatch(reason);
  });

  it("the server refuses who we are, until it knows us", async () => {
    const server = await nats({ settings: 'authorization { user: "bellhop", password: "p@ss" }' });
    const stranger = engine(server.urls, "laptop");
    expect(await isDown(stranger)).toBe(`authorization refused by ${server.urls[0]}`);
    await isUp(as("bellhop:p@ss", server, "cloud"));
  });

  it("the credentials cannot be read", async () => {
    const none = join(tmpdir(), "no-such-file.creds");
    const credentials = () => readCredentials(none, tmpdir());
    const laptop = engine(["nats://127.0.0.1:1"], "laptop", new Listening(), { credentials });
    expect(await isDown(laptop)).toContain(
      `the credentials cannot be used: The secret in ${none} cannot be read (ENOENT). `,
    );
  });

  it("the server has no JetStream", async () => {
    const server = await nats({ withoutJetStream: true });
    expect(await isDown(engine(server.urls, "laptop"))).toBe("JetStream is not enabled on the server");
  });

  it("the server takes only small messages", async () => {
    const server = await nats({ settings: "max_payload: 65536" });
    expect(await isDown(engine(server.urls, "laptop"))).toContain("(max_payload)");
    expect(LEAST_PAYLOAD_BYTES).toBeGreaterThan(BAG_LIMITS.bytes + 1_024);
  });

  it("the account may not do what is needed", async () => {
    const settings = `authorization { users: [{ user: u, password: p, permissions: { publish: { deny: "$JS.API.STREAM.CREATE.>" } } }] }`;
    const server = await nats({ settings });
    expect(await isDown(as("u:p", server, "laptop"))).toMatch(/^authorization refused: .*STREAM\.CREATE/u);
  });
});

describe("rights in NATS", () => {
  /** As `src/cluster/README.md` lists them. */
  const publish = (host: HostName): string[] => [
    "bellhop.to.*",
    `$KV.bellhop-hosts.${host}`,
    `$KV.bellhop-hosts.clock.${host}`,
    `$JS.ACK.bellhop.${host}.>`,
    "$JS.API.STREAM.INFO.*",
    "$JS.API.STREAM.MSG.GET.KV_bellhop-hosts",
    `$JS.API.CONSUMER.INFO.bellhop.${host}`,
    `$JS.API.CONSUMER.CREATE.bellhop.${host}.>`,
    `$JS.API.CONSUMER.MSG.NEXT.bellhop.${host}`,
    "$JS.API.CONSUMER.*.KV_bellhop-hosts.>",
    "$JS.API.CONSUMER.MSG.NEXT.KV_bellhop-hosts.*",
  ];

  it("may be few, once the streams are there: a host cannot take the bags of another", async () => {
    const users = ["laptop", "cloud"].map((host) => {
      const allowed = JSON.stringify(publish(host));
      return `{ user: ${host}, password: p, permissions: { publish: ${allowed}, subscribe: "_INBOX.>" } }`;
    });
    const settings = `authorization { users: [{ user: all, password: p }, ${users.join(", ")}] }`;
    const server = await nats({ settings });
    await isUp(as("all:p", server, "first"));
    const ears = new Listening();
    const [laptop, cloud] = [as("laptop:p", server, "laptop"), as("cloud:p", server, "cloud", ears)];
    await Promise.all([isUp(laptop), isUp(cloud)]);
    await laptop.announce(bytes("hello"));
    await ears.hears("laptop", "hello");
    await laptop.store("cloud", "a", bytes("a"));
    await laptop.store("cloud", "b", bytes("b"));
    await ears.has(2);
    await laptop.depart();
    await ears.hears("laptop", undefined);
    expect(ears.bags.every(({ again }) => again === 0)).toBe(true);
    expect(await isDown(as("laptop:p", server, "cloud"))).toMatch(/^authorization refused/u);
  });
});

describe("TLS", () => {
  it("is used and checked; a server without it is refused when it is asked for", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tls-"));
    onTestFinished(() => removeFolder(folder));
    const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    execFileSync(
      "openssl",
      [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
        ...["-days", "2", "-subj", "/CN=rig", "-addext", "subjectAltName=IP:127.0.0.1"],
        ...["-keyout", keyFile, "-out", certFile],
      ],
      { stdio: "ignore" },
    );
    const safe = await nats({ settings: `tls { cert_file: "${certFile}", key_file: "${keyFile}" }` });
    const url = safe.urls.map((one) => one.replace("nats:", "tls:"));
    const ears = new Listening();
    const trusting = engine(url, "laptop", ears, { tls: { caFile: certFile } });
    await isUp(trusting);
    await trusting.store("laptop", "a", bytes("sealed twice"));
    await ears.has(1);
    expect(await isDown(engine(url, "cloud"))).toMatch(/^the certificate of tls:\S+ is not trusted/u);
    const plain = await nats();
    const asking = engine(
      plain.urls.map((one) => one.replace("nats:", "tls:")),
      "other",
    );
    expect(await isDown(asking)).toMatch(/^tls:\S+ does not offer TLS$/u);
  });
});
