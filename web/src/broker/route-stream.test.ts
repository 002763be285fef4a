import { beforeEach, expect, it } from "vitest";
import type { Frame, Line } from "../connection/line.ts";
import { followRoutes } from "./route-stream.ts";

let said: string[];
let isVisible: boolean;
let heard: string[];
let hearers: Map<string, (frame: Frame) => void>;
let live: () => void;
let seen: () => void;
let end: () => void;

beforeEach(() => {
  said = [];
  heard = [];
  hearers = new Map();
  isVisible = true;
  live = seen = () => {};
  const line: Line = {
    say: (frame) => {
      said.push((frame as { type: string }).type);
      return true;
    },
    hear: (type, hear) => {
      hearers.set(type, hear);
      return () => hearers.delete(type);
    },
    onLive: (act) => {
      live = act;
      act();
      return () => {
        live = () => {};
      };
    },
  };
  end = followRoutes({
    line,
    isVisible: () => isVisible,
    onVisibility: (act) => {
      seen = act;
      return () => {
        seen = () => {};
      };
    },
    begun: () => heard.push("begun"),
    heard: ({ to }) => heard.push(to),
  });
});

it("asks at once, again after each reconnect, and hears what comes", () => {
  hearers.get("routes.ok")?.({});
  hearers.get("routes.push")?.({ route: { to: "agent/a" } });
  live();
  hearers.get("routes.ok")?.({});
  expect(said).toEqual(["routes", "routes"]);
  expect(heard).toEqual(["begun", "agent/a", "begun"]);
});

it("is quiet while nobody sees the page, also after a reconnect, and asks again when it is seen", () => {
  isVisible = false;
  seen();
  live();
  expect(said).toEqual(["routes", "unroutes"]);
  isVisible = true;
  seen();
  expect(said).toEqual(["routes", "unroutes", "routes"]);
});

it("ends with the page", () => {
  end();
  live();
  seen();
  expect(said).toEqual(["routes", "unroutes"]);
  expect(hearers.size).toBe(0);
});
