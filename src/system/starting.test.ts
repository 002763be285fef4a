import { once } from "node:events";
import { expect, it } from "vitest";
import { withoutDescriptors } from "../../tests/without-descriptors.ts";
import { startProgram } from "./starting.ts";

it("starts a program, with its pipes", async () => {
  const { child, stdin, stdout } = startProgram("cat", [], { stdio: ["pipe", "pipe", "ignore"] });
  stdin.end("hello");
  const [said] = await once(stdout, "data");
  expect(String(said)).toBe("hello");
  await once(child, "close");
});

it("tells of a program that is not there by its error", async () => {
  const { child } = startProgram("/no/such/program", [], { stdio: "pipe" });
  const [error] = await once(child, "error");
  expect(error).toMatchObject({ code: "ENOENT" });
});

it("gives a child to whom one can speak, and that tells why it did not start, without a descriptor left", async () => {
  const first = `
    const { child: before } = product.startProgram("true", [], { stdio: "pipe" });
    await new Promise((resolve) => before.on("close", resolve));`;
  const then = `
    const { child, stdin, stdout, stderr, kill } = product.startProgram("cat", [], { stdio: "pipe" });
    const said = [];
    child.on("error", (error) => said.push(error.code));
    child.on("close", () => tell([...said, "close"]));
    stdout.on("data", () => {});
    stderr.on("data", () => {});
    stdin.on("error", () => said.push("broken pipe"));
    // A signal to nobody must not become one to our own group.
    kill("SIGKILL");
    stdin.write("x");
    stdin.destroy();`;
  expect(await withoutDescriptors("src/system/starting.ts", first, then)).toEqual(["EMFILE", "close"]);
});
