import { Code, Group, Stack, Text } from '@mantine/core';
import { type Column, ListTable } from '../../components/list-table.js';
import { Panel } from '../../components/panel.js';
import { StateBadge } from '../../components/state-badge.js';
import { formatUsd } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import type { RequestDetails } from '../../api/schema.js';

const text = texts.requests.detail;

interface GroundingFigures {
  readonly queries?: readonly string[];
  readonly searches?: number;
  readonly pagesRead?: number;
  readonly toolCalls?: number;
  readonly costUsd?: number | null;
  readonly stoppedBy?: string | null;
  readonly calls?: readonly ToolCall[];
}

interface ToolCall {
  readonly toolkit: string;
  readonly tool: string;
  readonly outcome: string;
  readonly latency: number;
}

const columns: readonly Column<ToolCall>[] = [
  { label: text.tool, cell: ({ toolkit, tool }) => `${toolkit}/${tool}` },
  {
    label: texts.requests.outcome,
    cell: ({ outcome }) => (
      <StateBadge color={outcome === 'ok' ? 'green' : 'orange'} label={outcome} />
    ),
  },
  { label: texts.requests.latency, cell: ({ latency }) => formatMs(latency), isFigure: true },
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
          <ListTable
            label={text.tool}
            columns={columns}
            rows={calls}
            keyOf={(_call, index) => index}
            minWidth={320}
          />
        )}
      </Stack>
    </Panel>
  );
}

/** The messages and the answer, where the configuration keeps them. */
export function Content({ request: { content } }: { request: RequestDetails }) {
  if (!content) return null;
  return (
    <Panel title={text.content}>
      <Code block tabIndex={0} role="region" aria-label={text.content} mah={480}>
        {JSON.stringify(content, null, 2)}
      </Code>
    </Panel>
  );
}
