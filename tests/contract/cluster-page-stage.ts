/** What docs/cluster.md prints for servers, as servers that run: only its addresses, files and secrets are others. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { fencesIn, inlineCodeIn, readPage } from "../cli/pages.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { type Certificate, makeAuthority, makeCertificate } from "../rig/certificates.ts";
import type { JoiningHost } from "../rig/join-hosts.ts";
import { freePorts, NatsServer } from "../rig/nats.ts";
import { removeFolder } from "../rig/remove-folder.ts";
import { until } from "../rig/scripted-agent.ts";

const PATIENCE_MS = 180_000;
const page = readPage("docs/cluster.md");

/** The only configuration of a server on the page that has this in it. */
export function printedConfig(has: string): string {
  const found = fencesIn(page, "text").filter((text) => text.includes(has));
  expect(found, `configurations with ${has}`).toHaveLength(1);
  return found[0] ?? "";
}

/** The only code in the text of the page that has this in it. */
export function printedCode(has: string): string {
  const found = inlineCodeIn(page).filter((text) => text.includes(has));
  expect(found, `code with ${has}`).toHaveLength(1);
  return found[0] ?? "";
}

/** Each of these stands on the page. */
export function replaced(text: string, by: Readonly<Record<string, string>>): string {
  let found = text;
  for (const [from, to] of Object.entries(by)) {
    expect(text).toContain(from);
    found = found.replaceAll(from, to);
  }
  return found;
}

export class Stage {
  readonly folder: string;
  readonly authority: Certificate;
  /** For `localhost` and 127.0.0.1. */
  readonly certificate: Certificate;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "bh-layout-"));
    onTestFinished(() => removeFolder(this.folder));
    this.authority = makeAuthority(this.folder, "ca");
    this.certificate = makeCertificate(this.folder, "server", this.authority, [
      "DNS:localhost",
      "IP:127.0.0.1",
    ]);
  }

  /** A file as `credentials` names it. */
  secret(text: string): string {
    const path = join(this.folder, `secret-${text.length}`);
    writeFileSync(path, `${text}\n`, { mode: 0o600 });
    return path;
  }

  /** What a page says of files, and where they are here. */
  get files(): Readonly<Record<string, string>> {
    return { "/etc/nats/cert.pem": this.certificate.cert, "/etc/nats/key.pem": this.certificate.key };
  }

  store(name: string): string {
    const path = join(this.folder, name, "store");
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** It runs, but need not be ready yet. */
  async server(name: string, clients: number, config: string): Promise<NatsServer> {
    const [monitor = 0] = await freePorts(1);
    const server = new NatsServer(join(this.folder, name), { clients, monitor }, config);
    onTestFinished(() => server.stop());
    server.start();
    return server;
  }

  async host(name: string): Promise<JoiningHost> {
    const bellhop = new Bellhop();
    onTestFinished(() => bellhop.dispose());
    await bellhop.start();
    return { name, bellhop };
  }
}

/** From one host to an agent on the other, who takes it; both say so. */
export async function crosses(from: JoiningHost, to: JoiningHost, text: string): Promise<void> {
  await to.bellhop.run(["agent", "add", "coder"]);
  // While servers elect another leader, what a host says of itself takes seconds.
  const isAnnounced = async () =>
    (await from.bellhop.ask("ls", { all: true, allHosts: true })).elsewhere?.some(
      ({ host, agent }) => host === to.name && agent === "coder",
    ) === true;
  await until(isAnnounced, () => `coder of ${to.name} on ${from.name}`, PATIENCE_MS);
  const sent = await from.bellhop.json<{ messageId: string }>(["send", `${to.name}:coder`, text]);
  const { messageId: id } = sent;
  const isThere = async () => (await to.bellhop.ask("show", { id }).catch(() => undefined)) !== undefined;
  await until(isThere, () => `"${text}" on ${to.name}\n${from.bellhop.log().slice(-2_000)}`, PATIENCE_MS);
  const taken = await to.bellhop.json<{ message: { body: string } }[]>(["inbox", "coder", "--take"]);
  expect(taken.map(({ message }) => message.body)).toContain(text);
  const state = async () => (await from.bellhop.ask("show", { id })).deliveries[0]?.state;
  await until(async () => (await state()) === "delivered", `"${text}" to be delivered`, PATIENCE_MS);
}

/** What `bellhop cluster test HOST` prints when all is well. */
export async function tested({ bellhop }: JoiningHost, other?: JoiningHost): Promise<string> {
  const result = await bellhop.run(["cluster", "test", ...(other === undefined ? [] : [other.name])]);
  expect(result, `${result.stdout}${result.stderr}`).toMatchObject({ code: 0 });
  return result.stdout;
}
