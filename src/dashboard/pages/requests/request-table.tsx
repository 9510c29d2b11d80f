import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Schema } from '../../api/client.js';
import { type Column, ListTable } from '../../components/list-table.js';
import { StateBadge } from '../../components/state-badge.js';
import { formatTokens, formatUsd, unknownValue } from '../../format/numbers.js';
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
      <Anchor component={Link} href={`/requests/${id}`} size="sm" className="one-line">
        {formatSecond(at)}
      </Anchor>
    ),
  },
  { label: text.model, cell: modelOf },
  { label: text.outcome, cell: (item) => <Outcome {...item} /> },
  { label: text.latency, cell: ({ latencyMs }) => formatMs(latencyMs), isFigure: true },
  { label: text.ttft, cell: ({ ttftMs }) => formatMs(ttftMs), isFigure: true, isMinor: true },
  { label: text.tokens, cell: tokensOf, isFigure: true, isMinor: true },
  { label: text.cost, cell: ({ costUsd }) => formatUsd(costUsd), isFigure: true },
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
  <ListTable
    label={text.title}
    columns={columns}
    rows={items}
    keyOf={({ id }) => id}
    minWidth={860}
    highlightOnHover
  />
);

function tokensOf({ promptTokens, completionTokens }: RequestSummary): string {
  if (promptTokens === null && completionTokens === null) return unknownValue;
  return `${formatTokens(promptTokens)} → ${formatTokens(completionTokens)}`;
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
