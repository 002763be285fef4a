/** The layouts of docs/cluster.md: its servers as they are printed, and hosts that join them by its words. */
import { expect, it } from "vitest";
import { admitEachOther, joinHost, joinHosts } from "../rig/join-hosts.ts";
import { freePorts } from "../rig/nats.ts";
import { until } from "../rig/scripted-agent.ts";
import { crosses, printedCode, printedConfig, replaced, Stage, tested } from "./cluster-page-stage.ts";

const NAMES = ["n1", "n2", "n3"] as const;
/** As the page writes it. */
const SECRET = "SECRET";
const PATIENCE_MS = 180_000;

it("three servers keep three copies, and any two of them are enough", async () => {
  const stage = new Stage();
  const ports = await freePorts(6);
  const clients = ports.slice(0, 3);
  const routes = Object.fromEntries(
    NAMES.map((name, at) => [`${name}.example.org:6222`, `127.0.0.1:${ports[at + 3]}`]),
  );
  const printed = printedConfig("server_name: n1");
  const servers = await Promise.all(
    NAMES.map((name, at) => {
      const config = replaced(printed, {
        ...{ "server_name: n1": `server_name: ${name}`, ...stage.files, ...routes },
        ...{ "0.0.0.0:4222": `127.0.0.1:${clients[at]}`, "0.0.0.0:6222": `127.0.0.1:${ports[at + 3]}` },
        "/var/lib/nats": stage.store(name),
      });
      return stage.server(name, clients[at] ?? 0, config);
    }),
  );
  await Promise.all(servers.map((server) => server.untilReady()));
  const named = replaced(
    printedCode("--nats tls://n1.example.org"),
    Object.fromEntries(NAMES.map((name, at) => [`${name}.example.org`, `localhost:${clients[at]}`])),
  );
  const hosts = [await stage.host("laptop"), await stage.host("workstation")] as const;
  const [laptop, workstation] = hosts;
  const more = ["--ca-file", stage.authority.cert, "--credentials", stage.secret(SECRET)];
  await joinHosts(hosts, named.split(/ ?--nats /).slice(1), { more });
  const well = await tested(laptop, workstation);
  expect(well).toMatch(/^ok +tls: the connection is encrypted$/m);
  expect(well).toMatch(/^ok +stream: bellhop: 3 copies/m);
  expect(well).toMatch(/^ok +host workstation: it answered in /m);
  await crosses(laptop, workstation, "with all three");
  await servers[0]?.stop();
  await crosses(laptop, workstation, "with two of them");
  await crosses(workstation, laptop, "and back");
});

it("a leaf node brings what its hosts say to the hub, whose domain they name", async () => {
  const stage = new Stage();
  const [atHub = 0, leaves = 0, atLeaf = 0] = await freePorts(3);
  const hub = await stage.server(
    "hub",
    atHub,
    replaced(printedConfig("domain: hub"), {
      ...{ ...stage.files, "0.0.0.0:4222": `127.0.0.1:${atHub}`, "0.0.0.0:7422": `127.0.0.1:${leaves}` },
      "/var/lib/nats": stage.store("hub"),
    }),
  );
  const leaf = await stage.server(
    "leaf",
    atLeaf,
    replaced(printedConfig("remotes:"), {
      ...{ "10.77.0.2:4222": `127.0.0.1:${atLeaf}`, "hub.example.org:7422": `127.0.0.1:${leaves}` },
      "/etc/nats/ca.pem": stage.authority.cert,
    }),
  );
  await Promise.all([hub.untilReady(), leaf.untilReady()]);
  const credentials = stage.secret(SECRET);
  const [, , , ...asPrinted] = replaced(printedCode("--domain hub"), {
    ...{ "nats://10.77.0.2": leaf.url, "~/nats-token": credentials, " --host laptop": "" },
  }).split(" ");
  const laptop = await stage.host("laptop");
  const workstation = await stage.host("workstation");
  const direct = ["--nats", `tls://127.0.0.1:${atHub}`, "--ca-file", stage.authority.cert];
  const keys = new Map([
    ["laptop", await joinHost(laptop, asPrinted)],
    ["workstation", await joinHost(workstation, [...direct, "--credentials", credentials])],
  ]);
  await admitEachOther([laptop, workstation], keys);
  expect(await tested(laptop, workstation)).toMatch(/^ok +host workstation: it answered in /m);
  await crosses(laptop, workstation, "through the leaf node");
  await crosses(workstation, laptop, "and back");
  await hub.stop();
  const { messageId: id } = await laptop.bellhop.json<{ messageId: string }>([
    ...["send", "workstation:coder", "while the line is down"],
  ]);
  const delivery = async () => (await laptop.bellhop.ask("show", { id })).deliveries[0];
  await until(async () => (await delivery())?.hold !== undefined, "the reason why it waits", PATIENCE_MS);
  hub.start();
  const isThere = async () =>
    (await workstation.bellhop.ask("show", { id }).catch(() => undefined)) !== undefined;
  await until(isThere, () => `what waited\n${laptop.bellhop.log().slice(-2_000)}`, PATIENCE_MS);
});
