import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Machine, Machines } from "./machines.ts";
import { assertInNamespace } from "./namespace.ts";

beforeAll(assertInNamespace);

const PORT = 4_000;
const ANSWERS = `require("node:net").createServer(s => s.end("yes")).listen(${PORT}, "0.0.0.0", () => console.log("up"))`;
const asks = (address: string) =>
  `const s = require("node:net").connect(${PORT}, "${address}"); s.on("data", d => { console.log(String(d)); process.exit() });
   s.on("error", () => process.exit()); setTimeout(() => process.exit(), 1500)`;

describe("machines on one switch", () => {
  let machines: Machines;
  let server: ChildProcess;
  let left: Machine;
  let right: Machine;

  beforeAll(async () => {
    machines = await Machines.start(["left", "right"]);
    left = machines.machine("left");
    right = machines.machine("right");
    server = right.spawn(process.execPath, ["-e", ANSWERS], { stdio: ["ignore", "pipe", "inherit"] });
    await once(server.stdout as NodeJS.ReadableStream, "data");
  });
  afterAll(() => machines?.end());

  const isAnswered = async () =>
    (await left.run(process.execPath, ["-e", asks(right.address)])).trim() === "yes";

  it("reach each other, and nobody else does", async () => {
    expect(await isAnswered()).toBe(true);
    const outside = spawn(process.execPath, ["-e", asks(right.address)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    outside.stdout.on("data", (data) => {
      said += String(data);
    });
    await once(outside, "exit");
    expect(said).toBe("");
  });

  it.each<[string, () => Promise<void>, () => Promise<void>]>([
    ["unplugged", () => machines.unplug(right), () => machines.plugIn(right)],
    ["cut between two", () => machines.cut(left, right), () => machines.mend(left, right)],
    ["that lose what they send", () => left.losesWaysTo(right), () => left.findsWaysTo(right)],
    ["whose answers are lost", () => right.losesWaysTo(left), () => right.findsWaysTo(left)],
  ])("%s do not, until that is mended", async (_, trouble, mend) => {
    await trouble();
    expect(await isAnswered()).toBe(false);
    await mend();
    await expect.poll(isAnswered, { timeout: 180_000 }).toBe(true);
  });
});
