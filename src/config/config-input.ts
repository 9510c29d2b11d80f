// Generated from schemas/config.schema.json by config-input.mjs.
import type { DialectName } from '../providers/dialect-names.js';

/** The settings of one provider. */
export interface ProviderInput {
/** The dialect of the provider. See [Providers](providers.md#supported-providers). */
readonly api: DialectName;
/** The root of the API. Default: the dialect's own address. */
readonly baseUrl?: string;
/**
 * The API key. A provider whose key is an unset variable is not used, and a warning says so.
 */
readonly apiKey?: string;
/**
 * Several keys. A conversation stays with one of them while it works, for the provider's
 * prompt cache. A key that the provider refuses rests for ten minutes, a rate-limited key
 * until the time that the provider names.
 */
readonly apiKeys?: readonly (string)[];
/** Headers to send with every request to this provider. Default: `{}`. */
readonly headers?: Readonly<Record<string, string>>;
/** The AWS or Google Cloud region (Bedrock, Vertex AI). */
readonly region?: string;
/** The Google Cloud project (Vertex AI). */
readonly project?: string;
/** Azure's `api-version` or Anthropic's `anthropic-version`. */
readonly apiVersion?: string;
/**
 * Maps our model name to the provider's: Azure deployments, Bedrock inference profiles, and
 * names of your own. Several names may stand for one model, each with its own settings under
 * `models`.
 */
readonly deployments?: Readonly<Record<string, string>>;
/** AWS access key (Bedrock). Default: AWS's usual variables and files. */
readonly accessKeyId?: string;
/** AWS secret key (Bedrock). */
readonly secretAccessKey?: string;
/** AWS session token (Bedrock). */
readonly sessionToken?: string;
/**
 * Path of a service account's key file (Vertex AI). Default: Google's usual variables and
 * files.
 */
readonly credentialsFile?: string;
/**
 * Whether the gateway asks the provider in the background which models it has, at most once
 * an hour, for `GET /v1/models`, bare model names and `auto`. `false`: models with known
 * prices are listed instead. A list names the models. Default: `true`.
 */
readonly listModels?: boolean | readonly (string)[];
/** Whether `/proxy/<name>/…` reaches this provider. Default: `true`. */
readonly allowProxy?: boolean;
/**
 * For `anthropic` and `bedrock`: whether a request without `cache_control` of its own gets
 * some, at its instructions and its last two turns, so that Claude reads the beginning of a
 * conversation from its cache. Writing costs a quarter more, reading a tenth. Default:
 * `false`.
 */
readonly cacheBreakpoints?: boolean;
/**
 * How long a budget holds what a call that was cut may have cost. For a provider that bills
 * nothing for such calls. Default: 120000 for `ollama`, `lmstudio` and `vllm`; otherwise
 * until the period of the budget ends.
 */
readonly cutCallHoldMs?: number;
/** The maximum number of connections at a time. Default: unlimited. */
readonly connections?: number;
/**
 * Calls in progress, except pass-through. Further ones [wait](reliability.md#load). Default:
 * any number.
 */
readonly maxConcurrent?: number | null;
/** Timeouts of one call. */
readonly timeouts?: {
/** How long connecting may take. Default: `10000`. */
readonly connectMs?: number;
/**
 * How long the provider may take to send the first event of its answer. Default: 60 s; 300 s
 * for models that reason at high effort and for answers that are not streamed.
 */
readonly firstEventMs?: number | null;
/** How long the provider may be silent between two events. Default: `120000`. */
readonly idleMs?: number;
};
}

/** The settings of one toolkit. */
export interface ToolkitInput {
/**
 * `mcp-stdio`: an MCP server that the gateway starts; `mcp-http`: one at an address;
 * `openapi`: an HTTP API with an OpenAPI document; `functions`: addresses that take a call's
 * arguments as JSON.
 */
readonly type: "mcp-stdio" | "mcp-http" | "openapi" | "functions";
/** Names or globs (`read_*`) of the tools that requests may use. Default: all. */
readonly tools?: readonly (string)[] | null;
/** Calls that the gateway does not run by itself. */
readonly approval?: {
/**
 * Names or globs of tools whose calls are handed to the client, for example those that write.
 * Default: `[]`.
 */
readonly client?: readonly (string)[];
};
/**
 * Whether a request is answered without this toolkit when it cannot be reached. Otherwise the
 * request fails with 502. Default: `false`.
 */
readonly optional?: boolean;
/** USD per call. Default: `0`. */
readonly pricePerCall?: number;
/** How long connecting, reading the list of tools, and each call may take. Default: `30000`. */
readonly timeoutMs?: number;
/**
 * The maximum length of a result. A longer one is cut, and the model is told so. Default:
 * `50000`.
 */
readonly maxResultChars?: number;
/** `mcp-stdio`: the program to start. */
readonly command?: string;
/** `mcp-stdio`: its arguments. Default: `[]`. */
readonly args?: readonly (string)[];
/**
 * `mcp-stdio`: its environment variables, besides `PATH`, `HOME`, `LANG` and the like. It
 * sees no other variable of the gateway. Default: `{}`.
 */
readonly env?: Readonly<Record<string, string>>;
/**
 * `mcp-stdio` and `mcp-http`: the generation of the protocol. `handshake`: dated versions,
 * which begin with `initialize`; `stateless`: from 2026-07-28; `auto`: both are tried.
 * Default: `"auto"`.
 */
readonly era?: "auto" | "stateless" | "handshake";
/** `mcp-http`: the address of the server; `openapi`: that of the document, in JSON. */
readonly url?: string;
/** Headers to send with every request to this toolkit. Not for `mcp-stdio`. Default: `{}`. */
readonly headers?: Readonly<Record<string, string>>;
/** `mcp-http`: how the gateway gets an access token. Default: not at all. */
readonly auth?: {
/** The grant of OAuth 2. */
readonly type: "client_credentials";
/**
 * The address of the token endpoint. Default: the one that the server names, which then gets
 * the secret.
 */
readonly tokenUrl?: string | null;
/** The client's id. */
readonly clientId: string;
/** The client's secret. */
readonly clientSecret: string;
/** The scopes to ask for, separated by spaces. Default: none. */
readonly scope?: string | null;
} | null;
/**
 * `openapi`: the address that paths are added to. Default: the document's first server, if it
 * has the origin of the document.
 */
readonly baseUrl?: string | null;
/**
 * `openapi`: the operations that become tools, as ids or globs of `operationId`. Default:
 * all.
 */
readonly operations?: readonly (string)[] | null;
/** `functions`: the tools. */
readonly functions?: readonly ({
/** The tool's name. */
readonly name: string;
/** What it does, for the model. Default: `""`. */
readonly description?: string;
/** The JSON Schema of its arguments. Default: `{"type":"object","properties":{}}`. */
readonly parameters?: Readonly<Record<string, unknown>>;
/**
 * The address that the arguments are sent to, as JSON by POST. The body of the answer is the
 * result.
 */
readonly url: string;
/** Headers to send with every call, besides those of the toolkit. Default: `{}`. */
readonly headers?: Readonly<Record<string, string>>;
})[];
}

/** A listener of one surface. */
export interface ListenerInput {
/** The address to listen on. Default: `listen.host`. */
readonly host?: string;
/** The port to listen on. */
readonly port: number;
}

/** Rate limits and budgets; absent ones do not bound. */
export interface LimitsInput {
/** The maximum number of requests in 60 seconds. */
readonly requestsPerMinute?: number;
/** The maximum number of tokens in 60 seconds. */
readonly tokensPerMinute?: number;
/** The maximum cost in USD in one UTC day. */
readonly dayBudgetUsd?: number;
/** The maximum cost in USD in one UTC month. */
readonly monthBudgetUsd?: number;
}

/** Corrections of the catalogue for one model, which routing and prices use. */
export interface ModelInput {
/** USD per million input tokens. */
readonly inputPrice?: number;
/** USD per million output tokens. */
readonly outputPrice?: number;
/** USD per million input tokens read from the cache of the provider. */
readonly cachedInputPrice?: number;
/** USD per million input tokens written to the cache of the provider. */
readonly cacheWritePrice?: number;
/** USD for each web search that the provider runs for the model. */
readonly searchPrice?: number;
/** The context window, in tokens. */
readonly contextLength?: number;
/** The longest answer, in tokens. */
readonly maxOutput?: number;
/** Whether the model calls tools. */
readonly tools?: boolean;
/** Whether the model reads images. */
readonly images?: boolean;
/** Quality from 0 to 1. The gateway takes it as given instead of predicting it. */
readonly quality?: number;
/** Seconds to the first token. Default: measured. */
readonly latency?: number;
/**
 * How good the model is, in place of what is known of it: the name of a model that is about
 * as good (`openai/gpt-5-mini`), or a number on the scale of abilities (log odds, where 0 is
 * the usual model of 2024). The gateway then predicts quality from that, under all names that
 * the provider has for the model. A name with an effort (`gpt-5-high`) means that model at
 * that effort. Default: as measured, else as its family.
 */
readonly ability?: string | number;
/**
 * How much the model reasons where a request does not say: the gateway sends it with each
 * call, in the provider's own words. Default: the provider's default.
 */
readonly reasoningEffort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
}

/** A configuration as written: everything is optional. Durations are in milliseconds. */
export interface ConfigInput {
/** The address of the gateway. */
readonly listen?: {
/**
 * The host name or IP address to listen on. `0.0.0.0` accepts connections from other
 * machines. Default: `"127.0.0.1"`.
 */
readonly host?: string;
/** The port to listen on. 0 lets the operating system choose a free port. Default: `8080`. */
readonly port?: number;
};
/** Extra listeners. Each one serves a single surface and the health checks. */
readonly surfaces?: {
/** Model selection: `host` (default: `listen.host`) and `port`. */
readonly modelSelect?: ListenerInput;
/** Native completions: `host` and `port`. */
readonly completions?: ListenerInput;
/** OpenAI's dialect: `host` and `port`. */
readonly openai?: ListenerInput;
/** Pass-through: `host` and `port`. */
readonly proxy?: ListenerInput;
/** The tools for MCP clients: `host` and `port`. */
readonly mcp?: ListenerInput;
/** Prometheus metrics: `host` and `port`. */
readonly metrics?: ListenerInput;
};
/**
 * The folder of the embedded database, relative to the folder in which the gateway starts.
 * Default: `"./data"`.
 */
readonly dataDir?: string;
/**
 * Whether the gateway serves its dashboard, at `/` or at the path under which it is mounted.
 * Default: `true` for the standalone process, `false` for a gateway in a host app. There
 * `true` also switches on `auth.webAccounts`, unless the host identifies its users.
 */
readonly dashboard?: boolean | null;
/**
 * The address at which people reach the gateway. Links in mails, `Secure` cookies and the
 * checks of `Host` and of request origins use it.
 */
readonly publicUrl?: string | null;
/**
 * Host names under which the gateway answers requests without a valid key, besides
 * `localhost`, IP addresses and the host of `publicUrl`; all others are answered 421.
 * `*.example.org` stands for all subdomains, `*` switches the check off. Keep it narrow: it
 * stops web pages that point a name of their own at this address. A mounted gateway checks
 * hosts only if this is set.
 */
readonly allowedHosts?: readonly (string)[] | null;
/** Which pages of other sites may call the gateway from a browser. */
readonly cors?: {
/**
 * Origins whose pages may call the gateway with a key, for example
 * `https://chat.example.org`; `*` stands for every origin. Cookies are never accepted from
 * other origins. Default: `[]`.
 */
readonly allowedOrigins?: readonly (string)[];
};
/** Where accounts, keys, conversations, preferences and the request log are stored. */
readonly database?: {
/**
 * `postgres://…`, `file:<path>` or `:memory:`. Default: `file:<dataDir>/signalbox.db`;
 * `:memory:` when the gateway is mounted.
 */
readonly url?: string | null;
/** The maximum number of connections to PostgreSQL. Default: `10`. */
readonly poolSize?: number;
};
/** Shared counters for several replicas. */
readonly redis?: {
/**
 * `redis://…` or `rediss://…`. Without it, each process counts rate limits and budgets for
 * itself.
 */
readonly url?: string | null;
};
/** API keys and accounts. */
readonly auth?: {
/** Fixed API keys. If the list has an entry, the first start issues no key. Default: `[]`. */
readonly keys?: readonly ({
/** The name of the key. Its account is `fixed:<name>`. */
readonly name: string;
/**
 * The key itself. An empty value stops the start. OpenAI-style clients expect keys that begin
 * with `sk_`.
 */
readonly key: string;
/**
 * Labels or globs (`openai/*`) of the models that the key may use. Default: all. Pass-through
 * needs the whole provider (`openai/*` or `*`).
 */
readonly models?: readonly (string)[];
/** Names or globs of the toolkits that the key may use. Default: none. */
readonly toolkits?: readonly (string)[];
/**
 * The dial of economy for requests with this key that do not set it. Default:
 * `routing.economy`.
 */
readonly economy?: number;
/**
 * The share of the key where requests [wait](reliability.md#load); issued keys have 1.
 * Default: 1.
 */
readonly weight?: number;
/**
 * Any of `completions`, `model-select` and `admin`. Default: all three; without `admin` for a
 * key with `models` or `limits`.
 */
readonly scopes?: readonly ("completions" | "model-select" | "admin")[];
/** Rate limits and budgets of the key. */
readonly limits?: LimitsInput;
})[];
/**
 * `false`: requests need no key, except for administration and for `/metrics` with
 * `metrics.requireKey`. All callers without a key then share one account. Use it only in
 * networks where you trust everyone. Default: `true`.
 */
readonly required?: boolean;
/**
 * Whether people can sign up, claim the gateway, sign in with a browser and reset passwords.
 * Default: `true` for the standalone process, `false` for a gateway in a host app, whose
 * routes for these do not exist.
 */
readonly webAccounts?: boolean | null;
/**
 * Whether people may create their own account. With `closed`, administrators and the command
 * line create accounts. `open` is for networks where you trust everyone, or together with
 * `mail` and `signUpDomains`. Default: `"closed"`.
 */
readonly signUp?: "open" | "closed";
/**
 * The limits of accounts that people create for themselves; they bound all keys of such an
 * account together. `{}`: none. Default: 60 requests a minute and 1 USD a day.
 */
readonly signUpLimits?: LimitsInput;
/** The mail domains that may sign up. Empty: all. Default: `[]`. */
readonly signUpDomains?: readonly (string)[];
/** How long a browser stays signed in (default: 14 days). */
readonly signInMs?: number;
/** How long a password link is valid (default: one hour). */
readonly resetMs?: number;
/**
 * The number of your own proxies in front of the gateway. It trusts that many entries of
 * `X-Forwarded-For`, counted from the end. Default: `0`.
 */
readonly trustedProxies?: number;
};
/** Sends password links by mail. Without it, an administrator passes the links on. */
readonly mail?: {
/** The mail server: `smtp://…` or `smtps://…`. */
readonly url: string;
/** The sender address. */
readonly from: string;
} | null;
/**
 * Tells operators by mail or webhook what needs their attention. Without it, nothing is sent.
 */
readonly alerts?: {
/** The addresses that get each alert. Needs the section `mail`. Default: `[]`. */
readonly mail?: readonly (string)[];
/** An address that gets each alert as JSON, signed as Standard Webhooks say. */
readonly webhook?: {
/** The address. */
readonly url: string;
/** Signs the alerts: `whsec_` and base64, or any text. */
readonly secret: string;
} | null;
/**
 * The share of the day's or month's budget of a key or account from which on its spending is
 * reported; again when it is spent. Null: never. Default: `0.8`.
 */
readonly budgetShare?: number | null;
/**
 * The share of at least 20 calls within 15 minutes that a provider must have failed to be
 * reported, once an hour at most. Null: never. Default: `0.25`.
 */
readonly errorRate?: number | null;
/**
 * Whether a provider that is not asked any more is reported, once an hour at most. Default:
 * `true`.
 */
readonly providerDown?: boolean;
/** Whether each new API key is reported. Default: `true`. */
readonly newKey?: boolean;
/** How often the conditions are looked at. Default: `60`. */
readonly everySeconds?: number;
} | null;
/** Storage of conversations. */
readonly conversations?: {
/**
 * Whether native completions are stored as conversations. A request can opt out with `store:
 * false`. Default: `true`.
 */
readonly store?: boolean;
/**
 * What the conversations and notes of research of one account may take in the database.
 * Further turns are answered with `conversationStored: false`; of further notes, a warning
 * says that they are not kept. Default: `1073741824`.
 */
readonly maxBytesPerAccount?: number;
/**
 * The model that writes the titles of conversations. Default: the title is derived from the
 * first message. No key is charged for the calls, so keys and accounts with a budget get no
 * written titles; each call has a log line.
 */
readonly titleModel?: string | null;
};
/** The request log in the database. */
readonly requestLog?: {
/**
 * Whether requests are stored. With `false`, only keys with a budget store a row, which holds
 * nothing but the figures that the budget needs. Default: `true`.
 */
readonly enabled?: boolean;
/** Whether messages and answers are stored too. Default: `false`. */
readonly content?: boolean;
/** Rows are deleted after this many days. The daily sums stay. Default: `30`. */
readonly keepDays?: number;
/**
 * How many records of each kind may wait while the database is slow or unreachable. Further
 * records are lost; the gateway counts and logs the loss. Default: `10000`.
 */
readonly maxQueued?: number;
};
/** How many days stored rows are kept. `requestLog.keepDays` says it of the request log. */
readonly retention?: {
/**
 * Conversations are deleted this many days after their last turn, and the notes of research
 * this many days after their last change. Default: none; conversations are kept until
 * somebody deletes them, and notes for 30 days.
 */
readonly conversationDays?: number | null;
/** Decisions of model selection. Default: as `requestLog.keepDays`. */
readonly sessionDays?: number;
/** Feedback. What was learned from it fades by itself. Default: `800`. */
readonly feedbackDays?: number;
/** The sums of usage, latencies and cost. Default: `800`. */
readonly usageDays?: number;
/** The audit log. Default: `800`. */
readonly auditDays?: number;
};
/** Rules for keys with a budget. */
readonly budgets?: {
/**
 * Whether keys with a budget may use models without a known price, and pass-through. Neither
 * is charged to the budget. Default: `false`.
 */
readonly allowUnpriced?: boolean;
/**
 * The answer length to reserve for a request without `maxTokens`, and its upper bound.
 * Default: the longest answer of the model.
 */
readonly maxOutputTokens?: number | null;
};
/**
 * The providers, by name. The name is the part of a model label before the slash. See the
 * table of provider settings. Default: `{}`.
 */
readonly providers?: Readonly<Record<string, ProviderInput>>;
/**
 * Facts about models that the built-in catalogue lacks or has wrong, by label
 * (`<provider>/<model>`). See the table of model settings. Default: `{}`.
 */
readonly models?: Readonly<Record<string, ModelInput>>;
/** Newer price data, for administrators. */
readonly prices?: {
/**
 * The address from which administrators read newer price data in genai-prices' format, with a
 * button or `POST /api/v1/prices`. The gateway reads nothing by itself.
 */
readonly url?: string | null;
};
/**
 * Names for models: each stands for a label (`<provider>/<model>`), another alias, or a list
 * of them, from which the gateway chooses. A name may have one `*`, which stands for the same
 * text in its targets (`claude-*: anthropic/claude-*`). A label of a configured provider is
 * never an alias. See [Aliases](routing.md#aliases-and-bare-names). Default: `{}`.
 */
readonly aliases?: Readonly<Record<string, string | readonly (string)[]>>;
/** The circuit breaker: a model that fails is called after all other candidates. */
readonly breaker?: {
/** Whether models and providers that fail are set aside. Default: `true`. */
readonly enabled?: boolean;
/**
 * Failures in a row that set a model aside. One request with its retries makes three.
 * Default: `5`.
 */
readonly failures?: number;
/** Timeouts in a row that do the same. Each costs a request a minute or more. Default: `2`. */
readonly timeouts?: number;
/**
 * For how long, at first; twice as long after each trial that fails. Short failures pass in
 * seconds. Default: `10000`.
 */
readonly openMs?: number;
/**
 * For how long at most: a provider that works again waits no longer for its requests. A
 * longer `Retry-After` still counts. Default: `120000`.
 */
readonly maxOpenMs?: number;
};
/** Asks a second model too where the first token is late. Both are paid. Absent: never. */
readonly hedge?: {
/**
 * The percentile of a model's times to the first token after which it is late. Default: `95`.
 */
readonly afterPercentile?: number;
/** The share of all requests, and of each account's, hedged at most. Default: `0.05`. */
readonly maxShare?: number;
} | null;
/** How the gateway chooses a model. */
readonly routing?: {
/**
 * How much predicted quality (0 to 1) the gateway may give up for a cheaper or faster model.
 * Default: `0.05`.
 */
readonly tolerance?: number;
/**
 * The dial from 0 (quality decides) to 10 (the price decides). It sets what one more good
 * answer is worth: 1 USD at 5, and two and a half times less with each step. `tradeoff: cost`
 * turns it three steps further. Keys and requests may set it. Default: `5`.
 */
readonly economy?: number;
/**
 * How much predicted quality the gateway may give up to keep the model of a continued
 * conversation. 0: choose anew each time. Default: `0.03`.
 */
readonly affinity?: number;
/**
 * `learned` predicts quality for each conversation; `prior` uses only the general ability of
 * the model family. Default: `"learned"`.
 */
readonly ranker?: "learned" | "prior";
/**
 * Whether feedback and outcomes change later choices of the same account. `false`: they are
 * neither collected nor used. Default: `true`.
 */
readonly learning?: boolean;
/**
 * The share of decisions that try another plausible model, for accounts that give feedback.
 * 0: none. Default: `0.02`.
 */
readonly exploration?: number;
/**
 * `ranked`: the gateway orders the models of a request; `given`: it tries them in the order
 * of the request. Default: `"ranked"`.
 */
readonly order?: "ranked" | "given";
/**
 * Whether completions explain the choice in the header `x-signalbox-routing`. Default:
 * `true`.
 */
readonly explainHeader?: boolean;
/**
 * The candidates of `model: auto`. Empty: the models named under `models`; if there are none,
 * the eight ablest models of each provider up to 12 USD per million tokens (three input
 * tokens to one output token). Default: `[]`.
 */
readonly auto?: readonly (string)[];
/** Globs of the labels that may be called. Default: all. Pass-through ignores this. */
readonly allow?: readonly (string)[];
/**
 * Globs of the labels that may not be called; they hold for every name of a model. Default:
 * none. Pass-through ignores this.
 */
readonly deny?: readonly (string)[];
};
/** How the gateway measures what choosing a model saves. */
readonly savings?: {
/**
 * The share of completions that the gateway sends to a second model too, after the client has
 * its answer, to compare the two. The account pays for both. 0: none. Default: `0`.
 */
readonly shadow?: number;
/**
 * What these second answers may cost in a UTC day, of all accounts together. Their longest
 * length counts before they are asked for. Default: `1`.
 */
readonly maxUsdPerDay?: number;
};
/** Web search by the gateway. */
readonly search?: {
/**
 * Search engines, in order: the next one is asked when one fails. The variables
 * `SEARXNG_URL`, `BRAVE_API_KEY`, `TAVILY_API_KEY`, `EXA_API_KEY` and `SERPER_API_KEY` add
 * the engine if none of its type is listed. Default: `[]`.
 */
readonly engines?: readonly ({
/**
 * The engine's API. `perplexity` is also the API of LiteLLM's search tools; `custom` is
 * described by the settings below.
 */
readonly type: "searxng" | "brave" | "tavily" | "exa" | "serper" | "perplexity" | "custom";
/** The name in requests, answers and logs. Default: its `type`. */
readonly name?: string;
/**
 * The address to call. For SearXNG that of the instance; for `custom` with the placeholders
 * `{query}`, `{count}`, `{recency}`, `{country}` and `{language}`. Default: the vendor's own
 * address.
 */
readonly url?: string | null;
/** The API key. An engine whose key is an unset variable is not used, and a warning says so. */
readonly apiKey?: string;
/** Several keys, used in turn. A key that the engine refuses rests for ten minutes. */
readonly apiKeys?: readonly (string)[];
/** Headers to send with every search. Default: `{}`. */
readonly headers?: Readonly<Record<string, string>>;
/**
 * Whether Tavily, Exa and Perplexity are asked for the texts of pages too, which may cost
 * more. Default: `false`.
 */
readonly content?: boolean;
/** USD per thousand searches. Default: unknown, but nothing for `searxng` and `custom`. */
readonly pricePerThousand?: number | null;
/** How long the engine may take. Default: `search.timeoutMs`. */
readonly timeoutMs?: number;
/**
 * `custom`: JSON to send by POST, with the placeholders in its texts. Default: the request is
 * a GET.
 */
readonly body?: Readonly<Record<string, unknown>> | null;
/** `custom`: a JSON pointer to the list of results in the answer. */
readonly results?: string;
/** `custom`: a JSON pointer to the title in a result. */
readonly title?: string;
/**
 * `custom`: a JSON pointer to the address of the page in a result; relative ones are those of
 * the engine's host.
 */
readonly link?: string;
/** `custom`: a JSON pointer to the excerpt in a result. Default: none. */
readonly snippet?: string | null;
/** `custom`: a JSON pointer to the date of the page in a result. Default: none. */
readonly date?: string | null;
/** `custom`: a JSON pointer to the text of the page in a result. Default: none. */
readonly text?: string | null;
})[];
/**
 * Hosts with private addresses whose pages may be read, for example `wiki.intranet`, or with
 * a port `wiki.intranet:8080`. Engines need no entry. Default: `[]`.
 */
readonly allowPrivateHosts?: readonly (string)[];
/** The ports that pages are read from. Default: `[80,443]`. */
readonly ports?: readonly (number)[];
/** Whether a site's robots.txt is obeyed. Default: `true`. */
readonly obeyRobots?: boolean;
/**
 * Searches that one request may ask for, each with three pages that are read. A request that
 * names no number may make 3. Default: `10`.
 */
readonly maxUses?: number;
/**
 * Results of one search that a request may ask for. A request that names no number gets 5.
 * Default: `20`.
 */
readonly maxResults?: number;
/** How long the results of a search answer equal ones. 0: not at all. Default: `300000`. */
readonly cacheMs?: number;
/** How long an engine may take. Default: `10000`. */
readonly timeoutMs?: number;
};
/**
 * External tools that requests can name, by name. See the table of toolkit settings. A key
 * may use those that its `toolkits` list names. Default: `{}`.
 */
readonly toolkits?: Readonly<Record<string, ToolkitInput>>;
/** Research runs: completions with `research`. */
readonly research?: {
/**
 * The cheap model that reads pages, for keys that may use it, for example
 * `openai/gpt-5-mini`. Default: the cheapest model of the request.
 */
readonly reader?: string | null;
/** What one run may cost where its request asks for more. Default: `1`. */
readonly maxCostUsd?: number;
/**
 * How long one run may take where its request asks for more. `limits.totalTimeoutMs` applies
 * too. Default: `600`.
 */
readonly maxSeconds?: number;
};
/** Sizes and timeouts. */
readonly limits?: {
/**
 * The largest request body, after decompression. Does not apply to pass-through. Default:
 * `33554432`.
 */
readonly maxBodyBytes?: number;
/**
 * Objects, lists and texts in one JSON body, counted before it is parsed. Items and fields
 * may be four times as many, different field names a tenth. A larger body stops other
 * requests for longer. Default: `150000`.
 */
readonly maxJsonValues?: number;
/**
 * Bytes of the bodies of all requests in progress, and of answers that are kept to be stored
 * or wait for their clients. Beyond it requests with large bodies are answered 503, and
 * further long answers are not stored. Default: a quarter of Node's heap limit.
 */
readonly maxBytesInProgress?: number | null;
/**
 * The same for the requests of one account; beyond it they are answered 429. Default: half of
 * `maxBytesInProgress`.
 */
readonly maxAccountBytesInProgress?: number | null;
/**
 * Model and pass-through requests in progress. Further ones [wait](reliability.md#load).
 * Default: any number.
 */
readonly maxConcurrent?: number | null;
/** The same for each account. Default: any number. */
readonly maxAccountConcurrent?: number | null;
/**
 * How long a request, or a provider's call, may wait for its turn under a `maxConcurrent`.
 * Default: `5000`.
 */
readonly maxQueueMs?: number;
/** How late the event loop may be before model requests are refused. 0: never. Default: `0`. */
readonly maxLoopDelayMs?: number;
/** Retries for each model. Default: `2`. */
readonly maxRetries?: number;
/**
 * What becomes of a stream that breaks after its first content. `continue`: the next model
 * goes on from the text so far; `fail`: the answer ends in an error. A request may say
 * otherwise. Default: `"fail"`.
 */
readonly onBrokenStream?: "continue" | "fail";
/**
 * How often in a row a model may call tools that the gateway runs, where a request asks for
 * more. A request that names no number allows 5. Default: `20`.
 */
readonly maxToolSteps?: number;
/**
 * Images of one request that the gateway fetches by their addresses for providers that take
 * only bytes, each of at most 5 MB within 10 s and by the rules for pages in `search`. 0:
 * none are fetched, and the next model is tried. Default: `8`.
 */
readonly maxFetchedImages?: number;
/** The deadline of a request, including all retries and fallbacks. Default: `600000`. */
readonly totalTimeoutMs?: number;
/** How long the status line of a stream waits for the first content. Default: `10000`. */
readonly holdStatusMs?: number;
/** The gateway sends a comment after this much silence in a stream. Default: `15000`. */
readonly pingMs?: number;
/**
 * How long a streamed answer goes on, and can be read again, after its last reader has left.
 * 0: it is cancelled when its client leaves. Default: `0`.
 */
readonly resumeMs?: number;
/** How long a client may take to send its request. Default: `60000`. */
readonly requestTimeoutMs?: number;
/** How long a client may take to send its headers. Default: `15000`. */
readonly headersTimeoutMs?: number;
/** The largest request headers. Default: `16384`. */
readonly maxHeaderBytes?: number;
/**
 * The maximum number of connections of a listener. Further ones are closed at once. Default:
 * `20000`.
 */
readonly maxConnections?: number;
/** A response of which the client takes nothing for this long is ended. Default: `120000`. */
readonly clientIdleMs?: number;
/**
 * How long a gateway that stops answers 503 on `/readyz` before it accepts no more
 * connections. None where its standard input is a terminal. Default: `3000`.
 */
readonly drainDelayMs?: number;
/** How long requests in flight may take to finish when the gateway stops. Default: `30000`. */
readonly drainMs?: number;
};
/** Prometheus metrics. */
readonly metrics?: {
/** Whether `/metrics` needs a key. Default: `false`. */
readonly requireKey?: boolean;
/** Prefix of every metric name. Default: none. */
readonly prefix?: string;
};
/** The log on standard output. */
readonly log?: {
/** The lowest level that is logged. Default: `"info"`. */
readonly level?: "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";
/** Lines for people instead of JSON. Default: where standard output is a terminal. */
readonly pretty?: boolean | null;
};
/** OpenTelemetry's traces. Its variables `OTEL_…` hold for what is not set here. */
readonly tracing?: {
/** Whether requests are traced. Default: where there is an endpoint or a tracer provider. */
readonly enabled?: boolean | null;
/** A collector for OTLP over HTTP, as `http://localhost:4318`; `/v1/traces` is added. */
readonly endpoint?: string | null;
/** Headers for `endpoint`, such as its key. Default: `{}`. */
readonly headers?: Readonly<Record<string, string>>;
/** The share of requests without a `traceparent` that are kept. Default: all. */
readonly sampleRate?: number | null;
/** The service's name. Default: `OTEL_SERVICE_NAME`, else `signalbox`. */
readonly serviceName?: string | null;
/** Which providers get `traceparent`. Default: `local`; `none` with a host's tracer. */
readonly propagate?: "none" | "local" | "all" | null;
};
/** Pass-through. */
readonly proxy?: {
/**
 * Client headers to pass on although they identify the client, for example `x-forwarded-for`.
 * Default: `[]`.
 */
readonly forwardHeaders?: readonly (string)[];
/** Whether pass-through exists. Default: `true`. */
readonly enabled?: boolean;
};
}
