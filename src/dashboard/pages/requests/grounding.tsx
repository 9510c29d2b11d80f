import { Code, Group, Stack, Table, Text } from '@mantine/core';
import { formatUsd } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { Panel } from '../overview/charts.js';
import type { RequestDetails } from './request-detail.js';

const text = texts.requests.detail;

interface GroundingFigures {
  readonly queries?: readonly string[];
  readonly searches?: number;
  readonly pagesRead?: number;
  readonly toolCalls?: number;
  readonly costUsd?: number | null;
  readonly stoppedBy?: string | null;
  readonly calls?: readonly {
    readonly toolkit: string;
    readonly tool: string;
    readonly outcome: string;
    readonly latency: number;
  }[];
}

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
          <Table verticalSpacing={4}>
            <Table.Tbody>
              {calls.map((call, index) => (
                <Table.Tr key={index}>
                  <Table.Td>
                    {call.toolkit}/{call.tool}
                  </Table.Td>
                  <Table.Td>{call.outcome}</Table.Td>
                  <Table.Td ta="right">{formatMs(call.latency)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
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
