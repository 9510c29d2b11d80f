type Text = string | null | undefined;

/** A content block of a request, as its schema accepts it. */
export interface MessagesBlock extends Readonly<
  Partial<
    Record<
      'text' | 'thinking' | 'signature' | 'data' | 'id' | 'name' | 'tool_use_id' | 'title',
      Text
    >
  >
> {
  readonly type: string;
  readonly input?: unknown;
  readonly is_error?: boolean | null;
  readonly content?: string | readonly MessagesBlock[] | object | null;
  readonly source?: MessagesSource | string | null;
  readonly cache_control?: object | null;
  readonly [field: string]: unknown;
}

/** Where an image or a document comes from. */
export interface MessagesSource extends Readonly<
  Partial<Record<'type' | 'media_type' | 'data' | 'url', string>>
> {
  readonly content?: string | readonly MessagesBlock[];
}

export interface MessagesTurn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string | readonly MessagesBlock[];
}

/** A tool of the client, or one of Anthropic's, which its `type` names. */
export interface MessagesTool {
  readonly type?: string | null;
  readonly name?: string;
  readonly description?: string | null;
  readonly input_schema?: Record<string, unknown> | null;
  readonly strict?: boolean | null;
  readonly cache_control?: object | null;
  readonly [field: string]: unknown;
}

/** The body of `POST /v1/messages`, as its schema accepts it. Other fields are the provider's. */
export interface MessagesRequest {
  readonly model: string;
  readonly messages: readonly MessagesTurn[];
  readonly system?: string | readonly MessagesBlock[] | null;
  readonly max_tokens?: number | null;
  readonly temperature?: number | null;
  readonly top_p?: number | null;
  readonly top_k?: number | null;
  readonly stop_sequences?: readonly string[] | null;
  readonly stream?: boolean | null;
  readonly tools?: readonly MessagesTool[] | null;
  readonly tool_choice?: {
    readonly type: string;
    readonly name?: string;
    readonly disable_parallel_tool_use?: boolean | null;
  } | null;
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number | null } | null;
  readonly output_config?: {
    readonly effort?: string | null;
    readonly format?: { readonly type: string; readonly schema?: Record<string, unknown> } | null;
  } | null;
  readonly [field: string]: unknown;
}

/** The blocks of a content; a text is one block. */
export const blocksOf = (
  content: string | readonly MessagesBlock[] | object | null | undefined,
): readonly MessagesBlock[] => {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? (content as readonly MessagesBlock[]) : [];
};

/** Whether a tool is one that the client itself runs and describes. */
export const isClientTool = ({ type }: MessagesTool): boolean =>
  type === undefined || type === null || type === 'custom';

/** Whether a tool is Anthropic's own web search. */
export const isWebSearch = ({ type }: MessagesTool): boolean =>
  type?.startsWith('web_search_') ?? false;
