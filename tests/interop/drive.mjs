// Drives a daemon with the published SDK, as its users do, and prints what came back.
// node drive.mjs SCENARIO BASE_URL TOKEN WORKSPACE

import {
  DaemonClient,
  DaemonHttpError,
  asKnownDaemonEvent,
  normalizeDaemonEvent,
} from "@qwen-code/sdk/daemon";

const [scenario, baseUrl, token, workspace] = process.argv.slice(2);
const client = new DaemonClient({ baseUrl, token });

const ended = async (poll) => {
  for (;;) {
    const task = await poll();
    if (task.status === "completed" || task.status === "failed") return task;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

const failure = async (call) => {
  try {
    await call();
    return "no error";
  } catch (error) {
    return {
      http: error instanceof DaemonHttpError,
      status: error.status,
      code: error.body?.code,
      message: error.message,
    };
  }
};

const events = async (sessionId, count, options = {}) => {
  const seen = [];
  for await (const event of client.subscribeEvents(sessionId, options)) {
    seen.push(event);
    if (seen.length === count) break;
  }
  return seen;
};

const scenarios = {
  async discovery() {
    return { health: await client.health(), capabilities: await client.capabilities() };
  },

  async session() {
    const first = await client.createOrAttachSession({ workspaceCwd: workspace });
    const second = await client.createOrAttachSession({ workspaceCwd: workspace });
    const beat = await client.heartbeat(first.sessionId, first.clientId);
    await client.detachSession(second.sessionId, second.clientId);
    await client.closeSession(first.sessionId, first.clientId);
    await client.closeSession(first.sessionId);
    const afterwards = await failure(() => client.heartbeat(first.sessionId));
    return { first, second, beat, afterwards };
  },

  async memory() {
    const session = await client.createOrAttachSession({ workspaceCwd: workspace });
    const { clientId, sessionId } = session;
    const listening = events(sessionId, 3, { lastEventId: 0 });
    const options = { clientId };
    const accepted = await client.rememberWorkspaceMemory("I prefer tabs over spaces", {
      scope: "user",
      contextMode: "workspace",
      clientId,
    });
    const remembered = await ended(() =>
      client.getWorkspaceMemoryRememberTask(accepted.taskId, options),
    );
    const forget = await client.forgetWorkspaceMemory("tabs over spaces", options);
    const forgotten = await ended(() => client.getWorkspaceMemoryForgetTask(forget.taskId, options));
    const dream = await client.dreamWorkspaceMemory(options);
    const dreamt = await ended(() => client.getWorkspaceMemoryDreamTask(dream.taskId, options));
    const seen = await listening;
    return {
      clientId,
      accepted,
      remembered,
      forgotten,
      dreamt,
      seen,
      known: seen
        .filter((event) => event.type === "memory_changed")
        .map((event) => asKnownDaemonEvent(event) !== undefined),
      normalized: seen.flatMap((event) => normalizeDaemonEvent(event)),
    };
  },

  async files() {
    const session = await client.createOrAttachSession({ workspaceCwd: workspace });
    const before = await client.workspaceMemory();
    const listening = events(session.sessionId, 2, { lastEventId: 0 });
    const written = await client.writeWorkspaceMemory(
      { scope: "workspace", content: "# Rules\n", mode: "replace" },
      session.clientId,
    );
    const appended = await client.writeWorkspaceMemory({ scope: "workspace", content: "a rule" });
    const seen = await listening;
    return {
      before,
      written,
      appended,
      after: await client.workspaceMemory(),
      normalized: seen.flatMap((event) => normalizeDaemonEvent(event)),
    };
  },

  async ending() {
    const session = await client.createOrAttachSession({ workspaceCwd: workspace });
    const stream = client.subscribeEvents(session.sessionId, { lastEventId: 0 });
    const first = (await stream.next()).value;
    await client.closeSession(session.sessionId, session.clientId);
    const rest = [];
    for await (const event of stream) rest.push(event);
    return { first, normalized: rest.flatMap((event) => normalizeDaemonEvent(event)), rest };
  },

  async errors() {
    const stranger = new DaemonClient({ baseUrl, token: "wrong" });
    const id = "remember-00000000-0000-4000-8000-000000000000";
    const session = await client.createOrAttachSession({ workspaceCwd: workspace });
    const mine = await client.rememberWorkspaceMemory("The sky is blue", {
      clientId: session.clientId,
    });
    return {
      token: await failure(() => stranger.capabilities()),
      blank: await failure(() => client.rememberWorkspaceMemory("  ")),
      tooLong: await failure(() => client.rememberWorkspaceMemory("x".repeat(65537))),
      scope: await failure(() => client.forgetWorkspaceMemory("x", { scope: "all" })),
      client: await failure(() => client.dreamWorkspaceMemory({ clientId: "client_unknown" })),
      unknown: await failure(() => client.getWorkspaceMemoryRememberTask(id)),
      foreign: await failure(() => client.getWorkspaceMemoryRememberTask(mine.taskId)),
      workspace: await failure(() =>
        client.createOrAttachSession({ workspaceCwd: "/somewhere/else" }),
      ),
      stream: await failure(() => events("no-such-session", 1)),
      close: await failure(() => client.closeSession(session.sessionId, "client_unknown")),
      file: await failure(() => client.writeWorkspaceMemory({ scope: "user", content: "x" })),
    };
  },
};

console.log(JSON.stringify(await scenarios[scenario]()));
process.exit(0);
