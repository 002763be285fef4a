import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { problemsOf } from "../../tests/config-problems.ts";
import { CONFIG_BYTES, loadConfig, parseConfig } from "./config.ts";

const PROFILE = `profiles:
  - name: my-agent
    match: { command: "my-agent" }
    composer: { prompt: "^> " }
    busy: "working…"
    dialog: "Allow\\\\?"
    keys: { submit: Enter, interrupt: Escape, clear: C-u }
    submit_delay_ms: 20
`;

describe("config.yaml", () => {
  it("has the documented defaults when it is empty", () => {
    const { values } = parseConfig("", "/home/config.yaml");
    expect(values).toEqual({
      turns: { atOnce: 5, everyone: {} },
      web: { name: "", pushServices: [] },
      bridges: {},
      desk: {
        classifier: { command: [], enabled: true, model: "sonnet", timeoutMs: 20_000 },
        defaultAgent: "",
        freshMs: 900_000,
      },
      person: { channels: [], quiet: "", quietExcept: [] },
      delivery: {
        defaultPriority: "normal",
        personBy: "typed",
        inputPollIntervalMs: 5_000,
        inputStaleTimeoutMs: 120_000,
        defaultTimeoutMs: 0,
        maxBatchSize: 10,
        urgentDelayMs: 500,
        evidenceTimeoutMs: 10_000,
        announceRestored: true,
      },
      http: { port: 2355 },
      tmux: { servers: [] },
      transports: { byProgram: {} },
      profiles: [],
      agents: [],
      rights: { default: [], agents: {} },
      retention: { days: 30 },
      notify: ["tmux"],
      watch: { greeting: true },
      loops: { hops: 50, perMinute: 10, sameBody: 3 },
    });
  });

  it("says where each value came from", () => {
    const { values, origins, shown } = parseConfig(
      "# mine\ndelivery:\n  max_batch_size: 3\n  default_priority: sequential\nhttp: { port: 4000 }\n",
      "/home/config.yaml",
    );
    expect(values.delivery).toMatchObject({ maxBatchSize: 3, defaultPriority: "idle", urgentDelayMs: 500 });
    expect(origins["delivery.max_batch_size"]).toEqual({ kind: "file", line: 3 });
    expect(origins["delivery.urgent_delay_ms"]).toEqual({ kind: "default" });
    expect(origins["http.port"]).toEqual({ kind: "file", line: 5 });
    expect(shown["http.port"]).toBe(4_000);
  });

  it("is frozen all the way down", () => {
    const config = parseConfig(PROFILE, "/home/config.yaml");
    expect(Object.isFrozen(config.values.delivery)).toBe(true);
    expect(Object.isFrozen(config.values.profiles[0]?.keys)).toBe(true);
    expect(Object.isFrozen(config.values.tmux.servers)).toBe(true);
  });

  it("teaches a program", () => {
    expect(parseConfig(PROFILE, "/c").values.profiles).toEqual([
      {
        name: "my-agent",
        match: { command: "my-agent" },
        composer: { prompt: "^> " },
        busy: "working…",
        dialog: "Allow\\?",
        keys: { submit: "Enter", interrupt: "Escape", clear: "C-u" },
        submitDelayMs: 20,
      },
    ]);
  });

  it("takes transports as one list or one per program", () => {
    expect(parseConfig("transports: [native, paste]", "/c").values.transports).toEqual({
      everywhere: ["native", "paste"],
      byProgram: {},
    });
    expect(parseConfig("transports:\n  claude: [paste]\n  codex: [native]", "/c").values.transports).toEqual({
      byProgram: { claude: ["paste"], codex: ["native"] },
    });
  });

  it("takes true and false for what is switched on or off", () => {
    const announced = (text: string) =>
      parseConfig(`delivery: { announce_restored: ${text} }`, "/c").values.delivery.announceRestored;
    expect([announced("false"), announced("true")]).toEqual([false, true]);
  });

  it("takes one of the words for how a person's messages go in", () => {
    const by = (text: string) =>
      parseConfig(`delivery: { person_by: ${text} }`, "/c").values.delivery.personBy;
    expect([by("any"), by("typed")]).toEqual(["any", "typed"]);
    expect(() => by("inbox")).toThrow("delivery.person_by: expected one of typed, any");
  });

  it("follows an alias", () => {
    expect(
      parseConfig("tmux: { servers: [&a work] }\ntransports: { claude: [paste] }", "/c").values.tmux.servers,
    ).toEqual(["work"]);
    expect(
      parseConfig("transports:\n  claude: &p [paste]\n  codex: *p", "/c").values.transports.byProgram.codex,
    ).toEqual(["paste"]);
  });

  it.each<[string, string, string]>([
    [
      "an unknown section",
      "a: 1\ndelivry:\n  x: 1\n",
      '/home/config.yaml:2: unknown key "delivry": did you mean "delivery"?',
    ],
    [
      "a section that no version has",
      "http: {}\nfleet:\n  size: 3\n",
      '/home/config.yaml:2: unknown key "fleet": known are delivery, http, tmux, ',
    ],
    [
      "an unknown key",
      "delivery:\n\n  max_bach_size: 3\n",
      ':3: unknown key "delivery.max_bach_size": did you mean "max_batch_size"?',
    ],
    [
      "a text for a number",
      "delivery:\n  input_poll_interval: 5s\n",
      ':2: delivery.input_poll_interval: expected a number of seconds, found the text "5s"',
    ],
    [
      "a word for true",
      "delivery:\n  announce_restored: yes\n",
      ':2: delivery.announce_restored: expected true or false, found the text "yes"',
    ],
    ["a number for true", "delivery: { announce_restored: 1 }", "expected true or false, found 1"],
    ["nothing for true", "delivery:\n  announce_restored:\n", "expected true or false, found nothing"],
    ["nothing for a number", "http:\n  port:\n", ":2: http.port: expected a port number, found nothing"],
    [
      "too large a number",
      "http: { port: 70000 }",
      ":1: http.port: expected a whole number from 0 to 65535, found 70000",
    ],
    [
      "a fraction",
      "delivery: { max_batch_size: 1.5 }",
      ":1: delivery.max_batch_size: expected a whole number from 1 to 100",
    ],
    [
      "infinity",
      "retention: { days: .inf }",
      ":1: retention.days: expected a number of days, found Infinity",
    ],
    ["a list for a section", "delivery: [1]", ":1: delivery: expected keys with values, found a list"],
    ["a text for the file", "hello", ":1: the file: expected keys with values"],
    [
      "no priority",
      "delivery: { default_priority: fast }",
      ':1: delivery.default_priority: expected one of interrupt, normal, idle-first, idle, found "fast"',
    ],
    ["a text for a list", "tmux: { servers: main }", ":1: tmux.servers: expected a list"],
    [
      "a number in a list of texts",
      "tmux:\n  servers:\n    - a\n    - 3\n",
      ":4: tmux.servers: expected a text, found 3",
    ],
    ["a key twice", "http: { port: 1 }\nhttp: { port: 2 }\n", ":2: this key appears twice"],
    ["a foreign tag", "http: !evil { port: 1 }", ":1: Unresolved tag"],
    ["no YAML", "http: {port: 1\n", ":2:"],
    ["two documents", "http: {}\n---\nhttp: {}\n", ":2:"],
    ["an unresolved alias", "http: *nope", ":1:"],
    ["no transport", "transports: [telepathy]", ':1: transports: no transport "telepathy"'],
    [
      "a transport that leads into no terminal",
      "transports: [bridge]",
      ':1: transports: no transport "bridge": known are native, hook, paste, doorbell',
    ],
    ["an empty list of transports", "transports: []", ":1: transports: name at least one of"],
    [
      "a bad program",
      "transports: { ../x: [paste] }",
      ":1: transports.../x: this is not the name of a program",
    ],
    [
      "a profile without a name",
      "profiles:\n  - match: { command: x }\n    composer: { prompt: '>' }",
      ":2: profiles.name is missing",
    ],
    [
      "a profile without a composer",
      "profiles:\n  - { name: a, match: { command: x } }",
      ":2: profiles.composer.prompt is missing",
    ],
    [
      "a bad pattern",
      "profiles:\n  - name: a\n    match: { command: x }\n    composer: { prompt: '(' }",
      ":4: profiles.composer.prompt: Invalid regular expression",
    ],
    [
      "an unknown profile key",
      "profiles:\n  - name: a\n    match: { command: x }\n    composer: { promt: '>' }",
      ':4: unknown key "profiles.composer.promt": did you mean "prompt"?',
    ],
    [
      "two profiles of one name",
      `${PROFILE}${PROFILE.replace("profiles:\n", "")}`,
      ':9: profiles: two are called "my-agent"',
    ],
    ["a name with a scheme", "web: { name: https://a.b }", ":1: web.name: expected a host name"],
    ["an address", "web: { name: 0.0.0.0 }", ":1: web.name: expected a host name"],
    ["a prototype", "__proto__: { x: 1 }", ':1: unknown key "__proto__"'],
  ])("refuses %s and says where", (_, text, message) => {
    expect(problemsOf(text)).toContain(message);
  });

  it("names every problem at once", () => {
    expect(problemsOf("http: { port: x }\nretention: { days: 0 }\n").split("\n")).toHaveLength(2);
  });

  it("caps aliases", () => {
    const many = `transports:\n  p0: &p [paste]\n${Array.from({ length: 70 }, (_, index) => `  p${index + 1}: *p`).join("\n")}\n`;
    expect(problemsOf(many)).toContain("more than 64 aliases");
    const bomb = `tmux:\n  servers: &a0 [x]\n${Array.from({ length: 30 }, (_, index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]`).join("\n")}`;
    expect(problemsOf(bomb)).toContain("unknown key");
  });

  describe("on disk", () => {
    let folder: string;
    let path: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), "bh-config-"));
      path = join(folder, "config.yaml");
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    it("means defaults when it is missing", () => {
      expect(loadConfig(path).values.http.port).toBe(2355);
    });

    it("is taken at its largest and refused one byte later", () => {
      writeFileSync(path, `# ${"x".repeat(CONFIG_BYTES - 3)}\n`);
      expect(loadConfig(path).values.http.port).toBe(2355);
      truncateSync(path, CONFIG_BYTES + 1);
      expect(() => loadConfig(path)).toThrow(/larger than/);
    });

    it("is refused when it is a folder or not UTF-8", () => {
      expect(() => loadConfig(folder)).toThrow(/not a file/);
      writeFileSync(path, Buffer.from([0x23, 0xff]));
      expect(() => loadConfig(path)).toThrow(/UTF-8/);
    });
  });
});
