import type { CallOrResult, Sent } from '../acceptance.js';

type Messages = readonly {
  role: string;
  tool_calls?: readonly { id?: unknown }[];
  tool_call_id?: unknown;
}[];

/** The ids of calls and results in messages of OpenAI's form. */
export const chatCallIds = ({ messages }: Sent['body']): CallOrResult[] =>
  (messages as Messages).flatMap(
    ({ role, tool_calls: calls, tool_call_id: result }): CallOrResult[] => [
      ...(calls ?? []).map(({ id }): CallOrResult => ['call', id]),
      ...(role === 'tool' ? ([['result', result]] as const) : []),
    ],
  );
