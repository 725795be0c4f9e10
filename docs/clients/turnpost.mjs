#!/usr/bin/env node
// A client of turnpost's API for Node 20 and browsers, without dependencies: a class for programs, and a command.
//
//     export TURNPOST_URL=https://games.example.org/api/v1
//     export TURNPOST_TOKEN=$(node turnpost.mjs token alice wonderland)
//     node turnpost.mjs boards                       # boards in progress, the most urgent first
//     node turnpost.mjs challenge marque bob         # without an opponent: anyone
//     node turnpost.mjs follow                       # a line for each change of a board
//
// Others: show BOARD, accept BOARD, move BOARD MOVE, chat BOARD TEXT

/** A refused request: problem details (RFC 9457), such as `reason`, `detail` and `word`. */
export class Problem extends Error {
  constructor(details) {
    super(details.detail);
    this.details = details;
  }
}

/** A player's access to a server, whose address ends in `/api/v1`. */
export class Client {
  constructor(url, token) {
    this.url = url.replace(/\/$/, "");
    this.token = token;
  }

  async open(method, path, body, headers = {}) {
    if (this.token) headers["Authorization"] = `Bearer ${this.token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const answer = await fetch(this.url + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Problem(await answer.json());
    return answer;
  }

  async call(method, path, body) {
    return (await this.open(method, path, body)).json();
  }

  /** Yields the data of each change, and misses none when the connection breaks. */
  async *events(path = "/me/events") {
    let last;
    for (;;) {
      try {
        const answer = await this.open("GET", path, undefined, last ? { "Last-Event-ID": last } : {});
        let text = "", name;
        for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
          const lines = (text + piece).split("\n");
          text = lines.pop();
          for (const line of lines) {
            const [, key, value] = /^(\w+): (.*)$/.exec(line) ?? [];
            if (key === "event") name = value;
            else if (key === "id") last = value;
            else if (key === "data" && name === "change") yield JSON.parse(value);
          }
        }
      } catch (error) {
        if (error instanceof Problem) throw error;
      }
      await new Promise((resume) => setTimeout(resume, 1000));
    }
  }
}

function row(board) {
  const turn = board.your_turn ? "your turn" : board.result ? "over" : `${board.opponent}'s turn`;
  return `${board.number}: ${board.game} against ${board.opponent}, ${board.plies} plies, ${turn}`;
}

async function main(command, ...words) {
  const client = new Client(process.env.TURNPOST_URL, process.env.TURNPOST_TOKEN);
  const act = async (path, body) => {
    const board = await client.call("POST", `/boards/${words[0]}/${path}`, body);
    console.log(`${board.number}: ${board.plies} plies, ${board.to_move ?? "nobody"} to move`);
  };
  const commands = {
    async token(userid, password) {
      console.log((await client.call("POST", "/tokens", { userid, password, label: "turnpost.mjs" })).token);
    },
    boards: async () => (await client.call("GET", "/me/boards")).boards.forEach((board) => console.log(row(board))),
    show: async (number) => console.log((await client.call("GET", `/boards/${number}?drawing=1`)).drawing),
    async challenge(game, opponent = null) {
      console.log((await client.call("POST", `/games/${game}/boards`, { opponent })).number);
    },
    accept: () => act("accept", {}),
    move: (_, move) => act("moves", { move }),
    chat: (_, say) => act("chat", { say }),
    async follow() {
      for await (const change of client.events()) console.log(JSON.stringify(change));
    },
  };
  if (!commands[command]) throw new Error(`commands: ${Object.keys(commands).join(", ")}`);
  await commands[command](...words);
}

if (globalThis.process?.argv[1] && import.meta.url.endsWith(process.argv[1].split("/").pop())) {
  main(...process.argv.slice(2)).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
