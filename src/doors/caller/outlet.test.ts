import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { Outlet, whenRoom } from "./outlet.ts";

/** Two ends of a real connection. */
async function connected(limits: { roomBytes?: number; backlogBytes?: number } = {}) {
  const server = createServer();
  const met = once(server, "connection");
  await once(server.listen(0, "127.0.0.1"), "listening");
  const reader = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [socket] = (await met) as [Socket];
  const heard: Buffer[] = [];
  reader.on("data", (chunk) => heard.push(chunk));
  onTestFinished(() => {
    socket.destroy();
    reader.destroy();
    server.close();
  });
  const overflow = vi.fn();
  const outlet = new Outlet({
    socket,
    roomBytes: 1_000,
    backlogBytes: 1_000_000,
    isOpen: () => !socket.writableEnded,
    overflow,
    ...limits,
  });
  const hears = (text: string) =>
    vi.waitFor(() => expect(Buffer.concat(heard).toString("utf8")).toBe(text), { timeout: 20_000 });
  return { outlet, socket, reader, overflow, hears };
}

it("writes what is said in one tick as one piece, in order", async () => {
  const { outlet, socket, hears } = await connected();
  const write = vi.spyOn(socket, "write");
  for (const chunk of ["a", Buffer.from("é"), "b"]) expect(outlet.write(chunk)).toBe("written");
  await hears("aéb");
  for (const chunk of ["c", "d"]) outlet.write(chunk);
  await hears("aébcd");
  expect(write).toHaveBeenCalledTimes(2);
});

it("joins once what several are told alike, and gives nobody what another was told", async () => {
  const ends = await Promise.all([connected(), connected(), connected(), connected()]);
  const writes = ends.map(({ socket }) => vi.spyOn(socket, "write"));
  const [a, b, c] = ["a", "b", "c"].map((text) => Buffer.from(text));
  const told = [
    [a, b],
    [a, b],
    [a, c],
    [a, b, c],
  ] as const;
  for (const [index, { outlet }] of ends.entries())
    for (const chunk of told[index] ?? []) outlet.write(chunk as Buffer);
  for (const [index, text] of ["ab", "ab", "ac", "abc"].entries()) await ends[index]?.hears(text);
  expect(writes[0]?.mock.calls[0]?.[0]).toBe(writes[1]?.mock.calls[0]?.[0]);
});

it("joins texts once too, and turns them into bytes for the second", async () => {
  const ends = await Promise.all([connected(), connected(), connected(), connected()]);
  const writes = ends.map(({ socket }) => vi.spyOn(socket, "write"));
  for (const { outlet } of ends.slice(0, 3)) for (const text of ["é", "b"]) outlet.write(text);
  ends[3]?.outlet.write("éb");
  for (const { hears } of ends) await hears("éb");
  const [first, second, third] = writes.map((write) => write.mock.calls[0]?.[0]);
  expect([first, second]).toEqual(["éb", Buffer.from("éb")]);
  expect(third).toBe(second);
});

it("counts what it has collected as unread, and wakes those who wait once it was taken", async () => {
  const { outlet, hears } = await connected({ roomBytes: 10 });
  outlet.write("x".repeat(20));
  expect(outlet.hasRoom).toBe(false);
  await whenRoom(outlet, () => outlet.write("y"));
  await hears(`${"x".repeat(20)}y`);
});

it("is flushed by whoever ends the socket: nothing is lost", async () => {
  const { outlet, socket, hears } = await connected();
  outlet.write("last words");
  outlet.flush();
  socket.end();
  expect(outlet.write("too late")).toBe("gone");
  await hears("last words");
});

it("tells what became of each piece", async () => {
  const { outlet, socket } = await connected();
  const outcome = (chunk: string) =>
    new Promise((resolve) => {
      if (outlet.write(chunk, resolve) === "gone") resolve("gone");
    });
  expect(await Promise.all([outcome("a"), outcome("b")])).toEqual(["written", "written"]);
  const lost = outcome("c");
  socket.destroy();
  expect(await lost).toBe("gone");
  expect(await outcome("d")).toBe("gone");
});

it("cuts off a reader that leaves too much unread, within one tick too", async () => {
  const { outlet, overflow } = await connected({ backlogBytes: 100 });
  expect([outlet.write("x".repeat(101)), outlet.write("y")]).toEqual(["written", "gone"]);
  expect(overflow).toHaveBeenCalledWith(101);
});
