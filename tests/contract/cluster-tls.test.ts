/** What docs/cluster.md says of TLS: what is not trusted is not connected to, is told, and gets no secret. */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type Certificate, makeAuthority, makeCertificate } from "../rig/certificates.ts";
import { freePorts, type NatsServer } from "../rig/nats.ts";
import { until } from "../rig/scripted-agent.ts";
import { Stage } from "./cluster-page-stage.ts";

interface Refused {
  readonly joined: string;
  readonly status: string;
  readonly test: string;
}

/** What a person reads who joins by this address, and is not let in; and later, if the config says it all the same. */
async function refusedAt(stage: Stage, url: string, more: readonly string[] = []): Promise<Refused> {
  const { bellhop } = await stage.host("laptop");
  const secret = stage.secret("SECRET");
  const argv = ["--nats", url, "--host", "laptop", "--credentials", secret, ...more];
  const joined = await bellhop.run(["cluster", "join", ...argv]);
  const config = join(bellhop.home, "config.yaml");
  const before = readFileSync(config, "utf8");
  if (joined.code !== 0) {
    expect(before).not.toContain("cluster");
    const nats = { servers: [url], ...(more[1] === undefined ? {} : { ca_file: more[1] }) };
    const section = { nats, host: "laptop", credentials: secret };
    writeFileSync(config, `${before}cluster: ${JSON.stringify(section)}\n`);
    const stands = async () => (await bellhop.ask("cluster_status", {})).cluster?.engine.state;
    await until(async () => (await stands()) === "down", "the daemon to try it");
  }
  const status = await bellhop.run(["cluster", "status"]);
  const test = await bellhop.run(["cluster", "test"]);
  expect([status.code, test.code]).toEqual([0, 1]);
  return { joined: joined.stdout + joined.stderr, status: status.stdout, test: test.stdout };
}

async function serverWith(
  stage: Stage,
  name: string,
  certificate: Certificate | undefined,
): Promise<NatsServer> {
  const [port = 0] = await freePorts(1);
  const tls =
    certificate === undefined
      ? ""
      : `tls { cert_file: "${certificate.cert}", key_file: "${certificate.key}" }`;
  const jetstream = `jetstream { store_dir: "${stage.store(name)}" }`;
  const server = await stage.server(name, port, `listen: "127.0.0.1:${port}"\n${tls}\n${jetstream}`);
  await server.untilReady();
  return server;
}

it("a certificate by somebody else, or for another name, is not trusted", async () => {
  const stage = new Stage();
  const stranger = makeAuthority(stage.folder, "stranger");
  const elsewhere = makeCertificate(stage.folder, "elsewhere", stage.authority, ["DNS:elsewhere.example"]);
  const right = await serverWith(stage, "right", stage.certificate);
  const wrong = await serverWith(stage, "wrong", elsewhere);
  const cases: readonly (readonly [number, readonly string[], RegExp])[] = [
    [right.port, ["--ca-file", stranger.cert], /unable to verify|self.signed/],
    [right.port, [], /unable to verify|self.signed/],
    [wrong.port, ["--ca-file", stage.authority.cert], /does not match certificate's altnames/],
  ];
  const tried = cases.map(async ([port, more, why]) => {
    const url = `tls://localhost:${port}`;
    const words = `the certificate of ${url} is not trusted: `;
    const { joined, status, test } = await refusedAt(stage, url, more);
    expect(joined).toContain(`This host cannot join: ${words}`);
    expect(joined).toMatch(why);
    expect(status).toContain(words);
    expect(test).toMatch(/^FAIL +nats: the certificate of /m);
    expect(test).toMatch(/^ +Correct the section cluster in config\.yaml: .*ca_file/m);
  });
  await Promise.all(tried);
});

it("a file that is no certificate is named, and a right one in its place is used at once", async () => {
  const stage = new Stage();
  const server = await serverWith(stage, "right", stage.certificate);
  const { bellhop } = await stage.host("laptop");
  const file = join(stage.folder, "given.pem");
  const url = `tls://127.0.0.1:${server.port}`;
  const joins = () => bellhop.run(["cluster", "join", "--nats", url, "--host", "laptop", "--ca-file", file]);
  const words = (why: string) => `he file with certificates to trust cannot be used (${file}): ${why}`;
  expect(await joins()).toMatchObject({ code: 1, stderr: expect.stringContaining(words("it is not there")) });
  writeFileSync(file, "no certificate\n");
  expect((await joins()).stderr).toContain(words("it has no certificate"));
  const right = readFileSync(stage.authority.cert);
  writeFileSync(file, right);
  expect((await joins()).stdout).toContain("NATS is connected");
  // Somebody spoils it later.
  const stands = async () => (await bellhop.ask("cluster_status", {})).cluster?.engine;
  writeFileSync(file, "no certificate\n");
  await until(async () => (await stands())?.reason?.includes(words("it has no")) === true, "the reason");
  expect(await bellhop.run(["cluster", "test"])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(words("it has no certificate")),
  });
  writeFileSync(file, right);
  await until(async () => (await stands())?.state === "up", "it to be connected again");
});

it("a server that speaks no TLS is refused if the address says tls://, and learns nothing", async () => {
  const stage = new Stage();
  const plain = await serverWith(stage, "plain", undefined);
  const words = `tls://127.0.0.1:${plain.port} does not offer TLS`;
  const { url, heard } = await eavesdropper();
  const [{ joined, status, test }, listened] = await Promise.all([
    refusedAt(stage, `tls://127.0.0.1:${plain.port}`),
    refusedAt(stage, url.replace("nats:", "tls:")),
  ]);
  for (const text of [joined, status, test]) expect(text).toContain(words);
  expect(listened.joined).toContain("does not offer TLS");
  expect(heard()).toMatchObject({ calls: expect.any(Number), text: "" });
  expect(heard().calls).toBeGreaterThan(0);
  // The same ear hears the secret of whoever asks for no TLS: it would have heard it above.
  await refusedAt(stage, url);
  expect(heard().text).toContain("SECRET");
});

/** Says that it is a server of NATS without TLS, and writes down what it is told. */
async function eavesdropper() {
  const info = { server_id: "X", server_name: "x", version: "2.9.10", proto: 1, max_payload: 1_048_576 };
  let [text, calls] = ["", 0];
  const server = createServer((socket) => {
    calls += 1;
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      text += bytes.toString();
    });
    socket.write(`INFO ${JSON.stringify({ ...info, auth_required: true })}\r\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `nats://127.0.0.1:${port}`, heard: () => ({ calls, text }) };
}
