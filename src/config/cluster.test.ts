import { describe, expect, it } from "vitest";
import { problemsOf } from "../../tests/config-problems.ts";
import { CLUSTER_LIMITS, insteadOfServer } from "./cluster.ts";
import { parseConfig } from "./config.ts";

const KEY = `bh1${"k".repeat(43)}`;
const OTHER = `bh1${"o".repeat(43)}`;
const clusterIn = (text: string) => parseConfig(text, "/home/config.yaml").values.cluster;

describe("the cluster in config.yaml", () => {
  it("is none by default, and is shown so", () => {
    expect(clusterIn("")).toBeUndefined();
    expect(clusterIn("cluster:\n")).toBeUndefined();
    expect(parseConfig("", "/c").shown.cluster).toBe("none");
  });

  it("needs a server and a name; hosts may send and hear unless they are given other rights", () => {
    const text = `cluster:
  nats: tls://nats.example.org
  host: laptop
  hosts:
    workstation: { key: ${KEY} }
    cloud-1: { key: ${OTHER}, rights: [urgent, send, send] }
`;
    expect(problemsOf(text)).toBe("");
    expect(clusterIn(text)).toEqual({
      servers: ["tls://nats.example.org"],
      host: "laptop",
      stream: "bellhop",
      hosts: [
        { host: "workstation", key: KEY, rights: ["send", "hear"] },
        { host: "cloud-1", key: OTHER, rights: ["send", "urgent"] },
      ],
    });
  });

  it.each([
    ["one server", "nats://127.0.0.1:4222", ["nats://127.0.0.1:4222"]],
    ["a list", "[tls://a, tls://b:4223]", ["tls://a", "tls://b:4223"]],
    ["keys with values", '{ servers: "nats://[::1]" }', ["nats://[::1]"]],
  ])("takes %s", (_, nats, servers) => {
    expect(clusterIn(`cluster: { nats: ${nats}, host: a }`)?.servers).toEqual(servers);
  });

  it("takes the file with the credentials in either place, and not in both", () => {
    expect(clusterIn("cluster: { nats: tls://a, host: a, credentials: f }")?.credentialsFile).toBe("f");
    const inside =
      "cluster: { nats: { servers: tls://a, credentials_file: f, ca_file: ca.pem, domain: hub }, host: a }";
    expect(clusterIn(inside)).toMatchObject({ credentialsFile: "f", caFile: "ca.pem", domain: "hub" });
    expect(problemsOf(inside.replace(" }, host", " }, credentials: g, host"))).toContain(
      "config.yaml:1: cluster: give either credentials or nats.credentials_file",
    );
  });

  it.each<[string, string, string]>([
    [
      "an unknown key",
      "nats: tls://a, host: a, hostss: {}",
      'unknown key "cluster.hostss": did you mean "hosts"?',
    ],
    ["no server", "host: a", "cluster.nats is missing: the server, such as tls://nats.example.org"],
    ["no servers", "nats: [], host: a", "cluster.nats: name at least one server"],
    ["no name", "nats: tls://a", "cluster.host is missing: how other hosts name this one, such as laptop"],
    ["a name in capitals", "nats: tls://a, host: Laptop", 'cluster.host: "Laptop" must match ^[a-z0-9]'],
    ["another protocol", "nats: https://a, host: a", "cluster.nats: expected tls://HOST or nats://HOST"],
    [
      "a stream with a dot",
      "nats: tls://a, host: a, stream: a.b",
      "cluster.stream: expected a name of letters",
    ],
    [
      "a domain with a dot",
      "nats: { servers: tls://a, domain: a.b }, host: a",
      "cluster.nats.domain: expected a name",
    ],
    ["a host without a key", "nats: tls://a, host: a, hosts: { b: {} }", "cluster.hosts.b.key is missing"],
    [
      "a key that is none",
      "nats: tls://a, host: a, hosts: { b: { key: abc } }",
      'cluster.hosts.b.key: expected the key of that host, as "bellhop cluster status" prints it there',
    ],
    [
      "the same key twice",
      `nats: tls://a, host: a, hosts: { b: { key: ${KEY} }, c: { key: ${KEY} } }`,
      "cluster.hosts.c.key: it is that of b",
    ],
    [
      "the host itself",
      `nats: tls://a, host: a, hosts: { a: { key: ${KEY} } }`,
      "cluster.hosts.a: this is the host itself",
    ],
    [
      "a right that there is not",
      `nats: tls://a, host: a, hosts: { b: { key: ${KEY}, rights: [urgnt] } }`,
      'cluster.hosts.b.rights: no right "urgnt": did you mean "urgent"?',
    ],
  ])("refuses %s", (_, inside, problem) => {
    expect(problemsOf(`cluster: { ${inside} }`)).toContain(`/home/config.yaml:1: `);
    expect(problemsOf(`cluster: { ${inside} }`)).toContain(problem);
  });

  it("names the line of what is wrong", () => {
    const text = "http: { port: 0 }\ncluster:\n  host: a\n  nats:\n    - tls://a\n    - a\n";
    expect(problemsOf(text)).toMatch(/^\/home\/config\.yaml:6: cluster\.nats: expected tls/);
  });

  it("refuses more servers and hosts than it takes", () => {
    const servers = (many: number) =>
      `nats: [${Array.from({ length: many }, (_, at) => `tls://s${at}`).join()}]`;
    expect(problemsOf(`cluster: { host: a, ${servers(CLUSTER_LIMITS.servers)} }`)).toBe("");
    expect(problemsOf(`cluster: { host: a, ${servers(CLUSTER_LIMITS.servers + 1)} }`)).toContain(
      "cluster.nats: at most 16 entries",
    );
    const hosts = Array.from({ length: CLUSTER_LIMITS.hosts + 1 }, (_, at) => {
      return `    h${at}: { key: bh1${String(at).padStart(42, "k")}A }\n`;
    });
    const text = `cluster:\n  host: a\n  nats: tls://a\n  hosts:\n`;
    expect(problemsOf(text + hosts.slice(1).join(""))).toBe("");
    expect(problemsOf(text + hosts.join(""))).toContain("cluster.hosts: at most 1000 hosts");
  });
});

describe("the address of a server", () => {
  it.each(["tls://a", "nats://a:1", "tls://a.example.org:443/"])("may be %s", (url) => {
    expect(insteadOfServer(url)).toBeUndefined();
  });

  it.each(["a", "a:4222", "tls://", "ws://a", "tls://a/b", "tls://a?b", "tls://a#b", "tls://a b"])(
    "may not be %s",
    (url) => {
      expect(insteadOfServer(url)).toContain("expected tls://HOST or nats://HOST");
    },
  );

  it("holds no password, and none is repeated", () => {
    expect(insteadOfServer("nats://a:99999")).toBe("a port is a number from 1 to 65535, and this is 99999");
    const said = insteadOfServer("nats://user:hunter2@a");
    expect(said).toContain("go into a file that cluster.credentials names");
    expect(said).not.toContain("hunter2");
  });
});
