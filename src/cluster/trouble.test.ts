import { describe, expect, it } from "vitest";
import { STREAM_MISSING } from "./jetstream-codes.ts";
import { connectTrouble, EngineTrouble, requestTrouble, storeTrouble } from "./trouble.ts";

function failure(name: string, message: string, fields: object = {}, cause?: unknown): Error {
  const error = cause === undefined ? new Error(message) : new Error(message, { cause });
  return Object.assign(error, { name }, fields);
}

describe("why a server cannot be reached", () => {
  const server = "nats://hub:4222";

  it.each([
    [
      failure("ConnectionError", "connection refused", {}, failure("Error", "x", { code: "ECONNREFUSED" })),
      "connection refused",
    ],
    [failure("Error", "getaddrinfo ENOTFOUND hub", { code: "ENOTFOUND" }), "there is no host of this name"],
    [failure("TimeoutError", "timeout"), "it does not answer"],
    [failure("Error", "something new"), '"something new"'],
  ])("%s", (error, why) => {
    expect(connectTrouble(error, server)).toEqual({
      words: `cannot reach nats://hub:4222: ${why}`,
      retry: "patiently",
    });
  });

  it.each([
    [failure("AuthorizationError", "Authorization Violation"), "authorization refused by nats://hub:4222"],
    [failure("UserAuthenticationExpiredError", "expired"), "authorization refused by nats://hub:4222"],
    [failure("ConnectionError", "server does not support 'tls'"), "nats://hub:4222 does not offer TLS"],
    [
      failure("Error", "self-signed certificate", { code: "DEPTH_ZERO_SELF_SIGNED_CERT" }),
      'the certificate of nats://hub:4222 is not trusted: "self-signed certificate"',
    ],
    [new EngineTrouble("the credentials cannot be used", "rarely"), "the credentials cannot be used"],
  ])("needs a person: %s", (error, words) => {
    expect(connectTrouble(error, server)).toMatchObject({ words, retry: "rarely" });
  });
});

describe("why the engine did not do what was asked", () => {
  it.each([
    [
      failure("JetStreamNotEnabled", "jetstream is not enabled"),
      "JetStream is not enabled on the server",
      "patiently",
    ],
    [
      failure("JetStreamApiError", "not enabled for account", { code: 10_039 }),
      "JetStream is not enabled for this account",
      "rarely",
    ],
    [
      failure("JetStreamApiError", "system temporarily unavailable", { code: 10_008 }),
      "the stream has no leader",
      "soon",
    ],
    [
      failure("JetStreamApiError", "insufficient storage", { code: 10_047 }),
      'the server has no room: "insufficient storage"',
      "patiently",
    ],
    [
      failure("StreamNotFoundError", "stream not found", { code: STREAM_MISSING }),
      "somebody deleted the stream",
      "soon",
    ],
    [
      failure("JetStreamStatusError", "consumer deleted", { code: 409 }),
      "somebody deleted the consumer of this host",
      "soon",
    ],
    [
      failure("RequestError", 'Permissions Violation for Publish to "x"'),
      'authorization refused: "Permissions Violation for Publish to ’x’"',
      "rarely",
    ],
    [failure("TimeoutError", "timeout"), "NATS did not answer in time", "soon"],
    [failure("ClosedConnectionError", "closed connection"), "the connection to NATS was lost", "soon"],
    [failure("RequestError", "connection closed"), "the connection to NATS was lost", "soon"],
    [failure("Error", "something new"), 'NATS says: "something new"', "patiently"],
    ["a text", 'NATS says: "a text"', "patiently"],
  ] as const)("%s", (error, words, retry) => {
    expect(requestTrouble(error)).toMatchObject({ words, retry });
  });
});

describe("why the engine did not store something", () => {
  it("nobody took it: the stream that was there has no leader now", () => {
    const error = failure("JetStreamNotEnabled", "jetstream is not enabled");
    expect(storeTrouble(error)).toEqual({ words: "the stream has no leader", retry: "soon" });
  });

  it("or anything else, as for every question", () => {
    const error = failure("TimeoutError", "timeout");
    expect(storeTrouble(error)).toEqual(requestTrouble(error));
  });
});

it("whatever a server says is quoted, on one line and not at length", () => {
  const message = `no"\n\u001b[2J[bellhop] run this${" now".repeat(100)}`;
  const words = [
    connectTrouble(failure("Error", message), "nats://hub:4222").words,
    connectTrouble(failure("Error", message, { code: "CERT_HAS_EXPIRED" }), "nats://hub:4222").words,
    requestTrouble(failure("Error", message)).words,
    requestTrouble(failure("JetStreamApiError", message, { code: 10_047 })).words,
    requestTrouble(failure("Error", `Permissions Violation ${message}`)).words,
  ];
  for (const said of words) expect(said).toMatch(/^[^"\n\u001b]{5,80}: "[^"\n\u001b]{1,120}"$/u);
});
