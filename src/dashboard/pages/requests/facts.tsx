import { Alert, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Labelled, LongText, PageLink, StateBadge } from '../../components/elements.js';
import { Panel } from '../../components/page.js';
import {
  formatCost,
  formatCount,
  formatTokens,
  formatUsd,
  spendParts,
} from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import type { RequestDetails, Schema } from '../../api/schema.js';
import { Outcome } from '../../components/outcome.js';
import { apiOf, causeOf, reasonOf, statusOf } from '../../format/outcomes.js';
import { type Column, figure, ListTable, column } from '../../components/list-table.js';

const list = texts.requests;
const text = texts.requests.detail;

/** What the request took and how it ended. */
export function Facts({ request }: { request: RequestDetails }) {
  const { code, error, field } = request;
  return (
    <Stack gap="lg">
      {code === null ? null : (
        <Alert color="red" title={fill(text.failedTitle, { code, reason: causeOf(request, code) })}>
          <LongText>{error ?? code}</LongText>
          {field === null || error?.startsWith(`${field}: `) ? null : (
            <Text size="sm">
              {text.field}: {field}
            </Text>
          )}
        </Alert>
      )}
      <Panel title={text.figures}>
        <SimpleGrid cols={{ base: 2, sm: 3, lg: 4 }} spacing="sm">
          {figuresOf(request).map(([label, value]) => (
            <Labelled key={label} label={label}>
              {value}
            </Labelled>
          ))}
        </SimpleGrid>
      </Panel>
    </Stack>
  );
}

function figuresOf(request: RequestDetails): [string, ReactNode][] {
  const { conversationId, shadow, keyName, keyId, traceId } = request;
  return [
    [texts.common.status, <Outcome key="status" {...request} label={statusOf(request)} />],
    [list.latency, formatMs(request.latencyMs)],
    [texts.common.firstToken, formatMs(request.ttftMs)],
    [texts.common.tokens, formatTokens(request)],
    [texts.common.cost, [formatCost(request), ...spendParts(request)].join(' · ')],
    [text.outputRate, outputRate(request)],
    [list.surface, `${apiOf(request.surface)}${request.stream ? ` · ${list.streamed}` : ''}`],
    keyId === null
      ? [list.key, list.browser]
      : link(list.key, `/requests?key=${encodeURIComponent(keyId)}`, keyName ?? keyId),
    [texts.common.account, request.accountEmail ?? request.accountId],
    [list.id, request.requestId],
    ...(traceId === null ? [] : [link(text.trace, `/requests?id=${traceId}`, traceId)]),
    ...(conversationId === null
      ? []
      : [link(texts.common.conversation, `/conversations/${conversationId}`, text.open)]),
    ...(shadow === null || shadow === undefined
      ? []
      : [link(texts.surfaces.shadow, `/requests/${shadow}`, text.openShadow)]),
  ];
}

const link = (label: string, href: string, words: string): [string, ReactNode] => [
  label,
  <PageLink key={href} href={href}>
    {words}
  </PageLink>,
];

function outputRate({ latencyMs, ttftMs, completionTokens }: RequestDetails): string {
  if (ttftMs === null || completionTokens === null || latencyMs - ttftMs < 50)
    return formatMs(null);
  const perSecond = (completionTokens / (latencyMs - ttftMs)) * 1_000;
  return fill(texts.common.tokensPerSecond, { count: formatCount(Math.round(perSecond)) });
}

/** As the API keeps it, with the calls of tools. */
type GroundingFigures = Partial<Schema<'CompletionsResponseGrounding'>> & {
  readonly calls?: readonly ToolCall[];
};

type ToolCall = Pick<Schema<'CompletionsChunk'>, 'latency'> & {
  readonly toolkit: string;
  readonly tool: string;
  readonly outcome: string;
};

const columns: readonly Column<ToolCall>[] = [
  column(text.tool, ({ toolkit, tool }) => `${toolkit}/${tool}`),
  column(texts.requests.outcome, ({ outcome }) => (
    <StateBadge color={outcome === 'ok' ? 'green' : 'orange'} label={reasonOf(outcome)} />
  )),
  figure(texts.requests.latency, ({ latency }) => formatMs(latency)),
];

/** What the request searched, read and did with tools. */
export function Grounding({ request }: { request: RequestDetails }) {
  if (!request.grounding) return null;
  const {
    searches = 0,
    pagesRead = 0,
    toolCalls = 0,
    queries = [],
    calls = [],
    costUsd,
    stoppedBy,
  } = request.grounding as GroundingFigures;
  return (
    <Panel title={text.grounding}>
      <Stack gap="xs">
        <Group gap="lg">
          <Text size="sm">{fill(text.searches, { count: searches })}</Text>
          <Text size="sm">{fill(text.pages, { count: pagesRead })}</Text>
          <Text size="sm">{fill(text.calls, { count: toolCalls })}</Text>
          <Text size="sm">
            {text.groundingCost}: {formatUsd(costUsd)}
          </Text>
          {stoppedBy ? <Text size="sm">{fill(text.stoppedBy, { limit: stoppedBy })}</Text> : null}
        </Group>
        {queries.map((query) => (
          <Text key={query} size="sm">
            {text.query}: {query}
          </Text>
        ))}
        {calls.length === 0 ? null : (
          <ListTable label={text.tool} columns={columns} rows={calls} minWidth={320} />
        )}
      </Stack>
    </Panel>
  );
}
