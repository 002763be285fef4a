/** Every word that the page says. */
import type { AttentionKind } from "../../src/core/attention.ts";
import type { HoldReason } from "../../src/core/message.ts";
import type { TurnState } from "../../src/core/turns/turn.ts";

const LOG_IN = "Run “bellhop open” in a terminal: it makes a link that logs this browser in.";

function messagesInWords(count: number): string {
  return count === 1 ? "1 message" : `${count} messages`;
}

export const TEXT = {
  title: "Bellhop",
  agents: "Agents",
  connection: {
    connecting: "Connecting",
    live: "Live",
    stale: "Offline",
    "logged-out": "Logged out",
  },
  banner: {
    connecting: "Connecting to Bellhop…",
    stale: "The connection is lost. You see how things were; it comes back by itself.",
  },
  loggedOut: { title: "You are not logged in", next: LOG_IN, unknown: "This browser is not logged in." },
  unreachable: { message: "Bellhop did not answer.", next: "Try again when the page is live." },

  pages: {
    home: "Agents",
    broker: "Broker",
    turns: "Turns",
    bridges: "Bridges",
    settings: "Settings",
  },
  tabs: {
    title: (name: string) => `Views of ${name}`,
    facts: "Facts",
    conversation: "Conversation",
    terminal: "Terminal",
  },
  lazy: {
    loading: "Loading…",
    failed: "This part of the page could not be loaded.",
    again: "Load the page again",
  },

  states: {
    blocked: "Asks you",
    busy: "Working",
    turn: "Automatic turn",
    starting: "Starting",
    idle: "Idle",
    unknown: "Unclear",
    exited: "Ended",
    absent: "Not running",
  },
  paused: "Paused",
  noFolder: "No folder",
  startedByYou: "Not started by an agent",
  startedBy: (name: string) => `Started by ${name}`,
  since: (words: string) => (words === "now" ? "just now" : `for ${words}`),
  waits: (count: number) => (count === 1 ? "1 waits" : `${count} wait`),
  /** `release`: as the daemon says it, such as “when its turn ends”. */
  held: (waits: string, why: string, release: string) => `${waits}: ${why}. The first goes out ${release}.`,
  reasons: {
    busy: "it is working",
    typing: "somebody types there",
    blocked: "it asks something",
    attached: "somebody is attached",
    paused: "it is paused",
    suspended: "it is suspended",
    offline: "nobody is there",
    turn: "its automatic turn",
    unknown: "its screen is unclear",
  } satisfies Record<HoldReason, string>,
  drafts: (count: number) => (count === 1 ? "1 draft of yours is kept" : `${count} drafts of yours are kept`),

  overview: {
    filter: "Filter agents",
    groupBy: "Group by",
    groupings: { folder: "Folder", state: "State", parent: "Parent", none: "Nothing" },
    counted: (shown: number, all: number) =>
      shown === all ? (all === 1 ? "1 agent" : `${all} agents`) : `${shown} of ${all} agents`,
    nothingFound: "No agent has these words.",
    clear: "Show all",
  },
  empty: {
    title: "No agents yet",
    run: "Start one in a terminal that Bellhop hosts:",
    runCommand: "bellhop run -- claude",
    found: "Or start Claude Code or Codex in tmux, as always: Bellhop finds it. Then say something to it:",
    sendCommand: 'bellhop send NAME "hello"',
    learn: "It appears here by itself.",
  },

  attention: {
    title: "Needs you",
    nothing: "Nothing needs you.",
    kinds: {
      permission: "Permission",
      question: "Question",
      "turn-end": "Finished",
      unconfirmed: "Unconfirmed",
      loop: "Loop stopped",
      budget: "Budget spent",
      "dead-letter": "No recipient",
    } satisfies Record<AttentionKind, string>,
    approve: "Approve",
    deny: "Deny",
    approved: "Approved: on its way to the terminal.",
    denied: "Denied: on its way to the terminal.",
    answering: "Answering…",
    inTerminal: "It cannot be answered from here. Answer it in its terminal.",
    toldOn: (places: readonly string[]) => `Also told on ${places.join(", ")}`,
    reroute: "Send again",
    rerouted: "Sent again.",
    stillNobody: "It still has no recipient.",
    runNow: "Run now",
    running: "A turn starts now.",
    somebody: "Somebody",
    mail: (count: number) =>
      count === 1
        ? "1 unread message for you: bellhop inbox"
        : `${count} unread messages for you: bellhop inbox`,
    turnsOff: "Automatic turns are stopped: bellhop turns start",
    trouble: "Trouble",
    warning: "Warning",
  },

  say: {
    label: (name: string) => `Message to ${name}`,
    answer: "Answer in your own words",
    send: "Send",
    sending: "Sending…",
    delivered: "Delivered.",
    accepted: "Accepted.",
    waits: (release: string) => `Accepted. It waits: ${release}.`,
    key: "Ctrl+Enter sends",
  },

  actions: {
    title: (name: string) => `Actions for ${name}`,
    names: {
      pause: "Pause",
      unpause: "Unpause",
      rename: "Rename",
      stop: "Stop",
      restart: "Restart",
      resume: "Restart and resume",
      start: "Start again",
      "start-resumed": "Resume",
    },
    working: "…",
    done: {
      pause: "Paused: nothing but interrupts gets through.",
      unpause: "Unpaused: what waits goes out again.",
      rename: "Renamed.",
      stop: "Stopped.",
      restart: "Restarted.",
      resume: "Restarted, with its conversation.",
      start: "Started.",
      "start-resumed": "Started, with its conversation.",
    },
    sure: {
      stop: (name: string) => `Stop ${name}? Its program is asked to end, then made to.`,
      restart: (name: string) => `Restart ${name}? Its conversation starts anew.`,
      resume: (name: string) => `Restart ${name}, with its conversation?`,
    },
    notStopped: "It has not ended yet.",
    keep: "Cancel",
    newName: "New name",
    save: "Rename",
  },

  details: {
    close: "Close",
    program: "Program",
    role: "Role",
    terminal: "Terminal",
    folder: "Folder",
    branch: "Branch",
    parent: "Parent",
    waiting: "Waiting",
    drafts: "Drafts",
    turn: "Turn",
    state: "State",
    takesTurns: "A message starts an automatic turn.",
    unknown: (name: string) => `There is no agent “${name}”.`,
  },

  broker: {
    you: "you",
    heard: "Who hears what",
    filter: "Filter paths and agents",
    nothingFound: "No path has these words.",
    counted: (count: number, since: string) => `${messagesInWords(count)} since ${since}`,
    messages: (count: number) => messagesInWords(count),
    hearers: (count: number) => (count === 1 ? "1 hears it" : `${count} hear it`),
    sessionOf: (agent: string, session: string) => `${agent}, session ${session}`,
    how: { address: "its own address", asked: "subscribed", declared: "subscribed in config.yaml" },
    listening: (count: number) => (count === 1 ? "1 program listens now" : `${count} programs listen now`),
    moreLines: (count: number) => `${count} more lines: filter to see them.`,
    moreSubscriptions: (count: number) => `Only the first ${count} subscriptions are shown.`,
    noSubscriptions:
      "Nobody is subscribed to anything: everyone gets only what is sent to their own address. Let an agent hear a channel:",
    subscribeCommand: 'bellhop sub add NAME "slack/team/#general"',

    tryIt: "Try a path",
    path: "Path",
    pathExample: "slack/team/#general",
    from: "From",
    whoWould: "Who would get this?",
    tryTeach: "* stands for one segment of a path, ** for any number. Nothing is sent.",
    wouldGet: (count: number) =>
      count === 1 ? "1 would get a message to" : `${count} would get a message to`,
    nobody: (reason: string) => `Nobody would get it, because ${reason}:`,
    because: (why: string) => `because ${why}.`,
    moreRecipients: (count: number) => `and ${count} more`,

    deadLetters: "Dead letters",
    noLetters:
      "None. A message that nobody gets is kept here, until somebody subscribes to its path and you send it again.",
    reroute: (shortId: string) => `Send #${shortId} again`,
    rerouteAll: "Send all again",
    rerouted: (sent: number, left: number) =>
      [
        sent > 0 ? `${sent} sent again.` : "",
        left > 0 ? (left === 1 ? "1 still has no recipient." : `${left} still have no recipient.`) : "",
      ]
        .filter((part) => part !== "")
        .join(" "),
    clear: "Delete all",
    clearSure: (count: number) =>
      count === 1
        ? "Delete the dead letter for good?"
        : `Delete all dead letters for good? You see ${count}.`,
    cleared: (count: number) => `${count} deleted.`,
    onlyFrom: (name: string) => `Only from ${name}.`,

    talks: "Who writes to whom",
    window: "How far back",
    windows: { quarter: "15 min", hour: "1 hour", day: "24 hours", all: "All" },
    talkedSince: (since: string) => `since ${since}`,
    noTalks: "Nobody wrote to anybody in this time. Write to an agent:",
    others: (count: number) => `${count} others`,
    edge: (from: string, to: string, count: number) => `${from} → ${to}: ${messagesInWords(count)}`,
    node: (name: string, sent: number, received: number) => `${name}: ${sent} sent, ${received} received`,
    leftOut: (lines: number, count: number) =>
      `${lines === 1 ? "1 thinner line is" : `${lines} thinner lines are`} not drawn (${messagesInWords(count)}).`,
    columns: { from: "From", to: "To", messages: "Messages" },
    show: (from: string, to: string, count: number) => `${count}: show those from ${from} to ${to}`,
    allPairs: (count: number) => `Show all ${count} pairs`,
    otherPairs: (count: number) => `and other pairs with ${messagesInWords(count)}`,
    between: (from: string, to: string) => `From ${from} to ${to}`,
    allBetween: (count: number) => `Show all ${count}`,
    noneBetween: "None among its newest messages.",
  },

  turns: {
    on: "Automatic turns are allowed",
    off: "Automatic turns are stopped",
    offSince: (words: string, by: string) =>
      `${words === "now" ? "just now" : `for ${words}`}${by === "" ? "" : `, by ${by}`}`,
    stop: "Stop all turns",
    start: "Let them start again",
    stopSure: (count: number) =>
      `${count === 1 ? "1 turn runs now and is" : `${count} turns run now and are`} ended too. Stop all?`,
    stopped: (count: number) => `Stopped. ${count === 1 ? "1 turn was" : `${count} turns were`} ended.`,
    started: "They may start again.",
    none: "No agent takes turns by itself",
    teach:
      "An agent can work without a terminal: when messages come, Bellhop runs its program and sends the answer back. Nothing is run that way unless you turn it on:",
    teachCommand: "bellhop agent auto-run NAME on --set cwd=FOLDER",
    teachThen: "Then write to it:",
    teachSend: 'bellhop send NAME "hello"',
    running: "Running now",
    noneRuns: "No turn runs.",
    about: (count: number) => `about ${messagesInWords(count)}`,
    again: "once more, after an interruption",
    states: {
      triage: "Is it worth a turn?",
      running: "Running",
      answering: "Answering",
      telling: "Telling that it failed",
      done: "Done",
      failed: "Failed",
      declined: "Declined",
      interrupted: "Interrupted",
      stopped: "Stopped",
    } satisfies Record<TurnState, string>,
    waiting: "Waiting for a turn",
    waits: (count: string, release: string) => `${count}: ${release}`,
    runNowFor: (agent: string) => `Run now: ${agent}`,
    budgets: "Spent, and what may be spent",
    noBudgets: "No agent takes turns by itself now.",
    spentUntil: (time: string) => `spent until ${time}`,
    thisHour: "This hour",
    today: "Today",
    cost: "Cost today",
    of: (spent: string, most: string) => `${spent} of ${most}`,
    dollars: (usd: number) => `$${usd.toFixed(2)}`,
    turnOff: "Turn off",
    turnOn: "Turn on again",
    offFor: (agent: string) => `Turn off automatic turns of ${agent}`,
    onFor: (agent: string) => `Turn on automatic turns of ${agent}`,
    isOff: "off",
    agentOff: (agent: string) => `${agent} takes no turns by itself now.`,
    agentOn: (agent: string) => `${agent} takes turns by itself again.`,
    last: "Last turns",
    noneYet: "No turn has ended yet.",
    columns: { agent: "Agent", outcome: "Outcome", when: "Began", cost: "Cost" },
  },

  bridges: {
    states: {
      up: (words: string) => (words === "now" ? "Connected just now" : `Connected for ${words}`),
      starting: (words: string) => (words === "now" ? "Connecting" : `Connecting for ${words}`),
      down: (words: string) => (words === "now" ? "Lost just now" : `Lost for ${words}`),
    },
    stuck: "It stays like this until you do something. Look closer in a terminal:",
    doctorCommand: (name: string) => `bellhop bridge test ${name}`,
    comesBack: "Bellhop tries again by itself. What it should say there waits.",
    lastIn: "Last came",
    lastOut: "Last went",
    never: "nothing since the start",
    ago: (words: string) => (words === "now" ? "just now" : `${words} ago`),
    strangers: "Strangers",
    refused: (count: number) =>
      count === 1
        ? "1 message was refused: nobody allowed its sender"
        : `${count} messages were refused: nobody allowed their senders`,
    none: "No bridge yet",
    rehearse:
      "With a bridge, agents reach you on your phone, and Slack, email or webhooks reach your agents. See it first; it needs no account and no network:",
    rehearseCommand: "bellhop bridge rehearse telegram",
    add: "Then connect one. It asks step by step, and tries it before anything is written:",
    addCommand: "bellhop bridge add telegram",
    learn: "It appears here by itself.",
  },

  palette: {
    open: "Search",
    label: "Go to an agent, or do something",
    nothing: "Nothing found.",
    go: (name: string) => name,
    act: (action: string, name: string) => `${action}: ${name}`,
    group: (name: string) => `Group by ${name.toLowerCase()}`,
    keys: "Show the keys",
    attention: "Go to what needs you",
    page: (name: string) => `Go to ${name.toLowerCase()}`,
  },
  keys: {
    title: "Keys",
    open: "Keys",
    list: [
      ["Ctrl K, ⌘ K", "go to an agent, or do something"],
      ["/", "filter the agents"],
      ["j, k", "next, previous"],
      ["Enter", "open the agent"],
      ["a, d", "approve, deny the card that has the focus"],
      ["Esc", "close"],
      ["?", "these keys"],
    ],
  },
} as const;
