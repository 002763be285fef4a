import { describe, expect, it } from "vitest";
import type { ClusterDefinition } from "./cluster.ts";
import { type AdmitWish, admitEdit, expelEdit, joinEdit, LEAVE_EDIT } from "./cluster-edits.ts";
import { parseConfig } from "./config.ts";
import type { ConfigEdit } from "./writing.ts";

const key = (letter: string) => `bh1${letter.repeat(42)}A`;
const [OWN, KEY, OTHER] = [key("o"), key("k"), key("x")];
const FILE = `# mine
http: { port: 0 } # any

cluster:
  nats: tls://nats.example.org # the office's
  host: laptop
  hosts:
    # under the desk
    workstation: { key: ${KEY} }
`;

const clusterIn = (text: string) => parseConfig(text, "/c").values.cluster;
const edited = (text: string, edit: ConfigEdit | undefined) => edit?.edit(text);
const withCluster = (text: string): ClusterDefinition => {
  const found = clusterIn(text);
  if (found === undefined) throw new Error("the text has no cluster");
  return found;
};
const admitted = (text: string, wish: AdmitWish) => {
  const { edit } = admitEdit(withCluster(text), OWN, wish);
  return edited(text, edit);
};

describe("joining", () => {
  const wish = { servers: ["tls://nats.example.org"], host: "laptop" };

  it("adds the section, and leaves the rest of the file as it is", () => {
    const text = "# mine\nhttp: { port: 0 } # any\n";
    const credentialsFile = "/home/dev/nats.creds";
    expect(edited(text, joinEdit(undefined, { ...wish, credentialsFile, stream: "ours" }))).toBe(
      `${text}cluster:\n  nats: tls://nats.example.org\n  host: laptop\n  credentials: ${credentialsFile}\n  stream: ours\n`,
    );
  });

  it.each([
    [wish, { servers: wish.servers }],
    [{ ...wish, servers: ["tls://a", "tls://b"] }, { servers: ["tls://a", "tls://b"] }],
    [
      { ...wish, caFile: "/ca.pem" },
      { servers: wish.servers, caFile: "/ca.pem" },
    ],
    [
      { ...wish, domain: "hub" },
      { servers: wish.servers, domain: "hub" },
    ],
  ])("is read as it was meant: %j", (given, read) => {
    expect(clusterIn(edited("", joinEdit(undefined, given)) ?? "")).toMatchObject(read);
  });

  it("changes nothing if it is so already, and refuses another cluster", () => {
    const current = withCluster(FILE);
    expect(joinEdit(current, wish)).toBeUndefined();
    for (const other of [
      { ...wish, host: "desktop" },
      { ...wish, servers: ["tls://other"] },
      { ...wish, stream: "ours" },
      { ...wish, credentialsFile: "/f" },
      { ...wish, domain: "hub" },
    ])
      expect(() => joinEdit(current, other)).toThrow(
        "in a cluster already, as laptop (tls://nats.example.org)",
      );
  });

  it.each([
    [{ ...wish, host: "My Laptop" }, '"My Laptop" cannot be the name of a host.'],
    [
      { ...wish, servers: ["nats.example.org"] },
      "This is not the address of a NATS server: expected tls://HOST",
    ],
    [{ ...wish, stream: "a.b" }, "The name of a stream has letters"],
    [{ ...wish, domain: "a.b" }, "The name of a domain has letters"],
  ])("refuses %j", (given, message) => {
    expect(() => joinEdit(undefined, given)).toThrow(message);
  });
});

describe("admitting", () => {
  it("adds a host, with the rights that it was given, and keeps every comment", () => {
    const entry = `    cloud:\n      key: ${OTHER}\n`;
    expect(admitted(FILE, { host: "cloud", key: OTHER })).toBe(
      FILE.replace("  hosts:\n", `  hosts:\n${entry}`),
    );
    const wide = admitted(FILE, { host: "cloud", key: OTHER, rights: ["send", "urgent"] }) ?? "";
    expect(wide).toContain("# under the desk");
    expect(clusterIn(wide)?.hosts).toContainEqual({ host: "cloud", key: OTHER, rights: ["send", "urgent"] });
  });

  it("adds the first one too", () => {
    const text = "cluster: { nats: tls://a, host: laptop }\n";
    expect(clusterIn(admitted(text, { host: "cloud", key: KEY }) ?? "")?.hosts).toEqual([
      { host: "cloud", key: KEY, rights: ["send", "hear"] },
    ]);
  });

  it("changes rights, and nothing if they are the same", () => {
    const host = { host: "workstation", key: KEY };
    const wide = admitted(FILE, { ...host, rights: ["send", "raw"] }) ?? "";
    expect(clusterIn(wide)?.hosts).toEqual([{ ...host, rights: ["send", "raw"] }]);
    expect(admitted(wide, host)).toBeUndefined();
    const none = admitted(wide, { ...host, rights: [] }) ?? "";
    expect(clusterIn(none)?.hosts).toEqual([{ ...host, rights: [] }]);
  });

  it.each<[string, AdmitWish, string]>([
    [
      "a name that is taken",
      { host: "workstation", key: OTHER },
      "workstation is admitted already, with another key.",
    ],
    ["a key that is taken", { host: "cloud", key: KEY }, "This key is admitted already, as workstation."],
    ["itself by name", { host: "laptop", key: KEY }, "laptop is this host itself."],
    ["itself by key", { host: "cloud", key: OWN }, "This is the key of this host itself."],
    ["half a key", { host: "cloud", key: KEY.slice(0, 40) }, "This is not the key of a host."],
    ["a name that is none", { host: "-x", key: KEY }, '"-x" cannot be the name of a host.'],
  ])("refuses %s", (_, wish, message) => {
    expect(() => admitted(FILE, wish)).toThrow(message);
  });
});

describe("expelling and leaving", () => {
  it("removes one host, and refuses one that is not there", () => {
    const two = admitted(FILE, { host: "cloud", key: OTHER }) ?? "";
    expect(edited(two, expelEdit(withCluster(two), "cloud"))).toBe(FILE);
    expect(clusterIn(edited(FILE, expelEdit(withCluster(FILE), "workstation")) ?? "")?.hosts).toEqual([]);
    expect(() => expelEdit(withCluster(FILE), "cloud")).toThrow('No host called "cloud" is admitted here.');
  });

  it("leaves, and keeps whom it admits and nothing else, for the next time", () => {
    const left = edited(FILE, LEAVE_EDIT) ?? "";
    const rest = FILE.slice(0, FILE.indexOf("cluster:"));
    expect(left).toBe(`${rest}cluster:\n${FILE.slice(FILE.indexOf("  hosts:"))}`);
    expect(clusterIn(left)).toBeUndefined();
    const wish = { servers: ["tls://a"], host: "laptop", stream: "ours" };
    expect(clusterIn(edited(left, joinEdit(undefined, wish)) ?? "")).toMatchObject({
      ...{ ...wish, hosts: [{ host: "workstation", key: KEY }] },
    });
    const flow = `cluster: { nats: tls://a, hosts: { b: { key: ${KEY} } }, host: laptop }\n`;
    const again = edited(edited(flow, LEAVE_EDIT) ?? "", joinEdit(undefined, wish)) ?? "";
    expect(clusterIn(again)).toMatchObject({ ...wish, hosts: [{ host: "b", key: KEY }] });
  });

  it("removes the section if nobody is admitted", () => {
    const alone = edited("# mine\n", joinEdit(undefined, { servers: ["tls://a"], host: "laptop" })) ?? "";
    expect(edited(alone, LEAVE_EDIT)).toBe("# mine\n");
  });
});
