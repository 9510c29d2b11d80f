import { Text } from '@mantine/core';
import { PageLink, StateBadge } from '../../components/elements.js';
import type { Schema } from '../../api/schema.js';
import { type Column, figure, ListTable } from '../../components/list-table.js';
import { formatCompact, formatUsd, unknownValue } from '../../format/numbers.js';
import { formatMs, formatSecond } from '../../format/times.js';
import { texts } from '../../texts/texts.js';

const text = texts.requests;

export type RequestSummary = Schema<'RequestResponse'>;

/** `<provider>/<model>`, as far as it is known. */
export const modelOf = ({ provider, model }: Pick<RequestSummary, 'provider' | 'model'>): string =>
  [provider, model].filter((name) => name !== null).join('/') || unknownValue;

const columns: readonly Column<RequestSummary>[] = [
  {
    label: text.at,
    cell: ({ id, at }) => (
      <PageLink href={`/requests/${id}`} className="one-line">
        {formatSecond(at)}
      </PageLink>
    ),
  },
  { label: text.model, cell: modelOf },
  { label: text.outcome, cell: (item) => <Outcome {...item} /> },
  figure(text.latency, ({ latencyMs }) => formatMs(latencyMs)),
  figure(text.ttft, ({ ttftMs }) => formatMs(ttftMs), { isMinor: true }),
  figure(text.tokens, tokensOf, { isMinor: true }),
  figure(text.cost, ({ costUsd }) => formatUsd(costUsd)),
  {
    label: text.key,
    cell: ({ keyName, keyId }) => (
      <Text size="sm" truncate maw={140}>
        {keyName ?? keyId ?? text.browser}
      </Text>
    ),
    isMinor: true,
  },
  {
    label: text.surface,
    cell: ({ surface, stream }) => `${surface}${stream ? ` · ${text.streamed}` : ''}`,
    isMinor: true,
  },
];

/** Requests, newest first, each with a link to its page. */
export const RequestTable = ({ items }: { items: readonly RequestSummary[] }) => (
  <ListTable label={text.title} columns={columns} rows={items} minWidth={860} highlightOnHover />
);

function tokensOf({ promptTokens, completionTokens }: RequestSummary): string {
  if (promptTokens === null && completionTokens === null) return unknownValue;
  return `${formatCompact(promptTokens)} → ${formatCompact(completionTokens)}`;
}

interface OutcomeProps extends Pick<RequestSummary, 'status' | 'code'> {
  /** The code stands elsewhere. */
  isShort?: boolean;
}

/** The status, and the error code where there is one. */
export function Outcome({ status, code, isShort = false }: OutcomeProps) {
  const isClient = status >= 400 && status < 500;
  return (
    <StateBadge
      color={code === null ? 'green' : isClient ? 'orange' : 'red'}
      label={code === null || isShort ? String(status) : `${status} ${code}`}
    />
  );
}
