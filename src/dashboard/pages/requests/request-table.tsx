import { Anchor, Badge, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Schema } from '../../api/client.js';
import { formatTokens, formatUsd, unknownValue } from '../../format/numbers.js';
import { formatMs, formatSecond } from '../../format/times.js';
import { texts } from '../../texts/texts.js';

const text = texts.requests;

export type RequestSummary = Schema<'RequestResponse'>;

/** `<provider>/<model>`, as far as it is known. */
export const modelOf = ({ provider, model }: Pick<RequestSummary, 'provider' | 'model'>): string =>
  [provider, model].filter((name) => name !== null).join('/') || unknownValue;

/** Requests, newest first, each with a link to its page. */
export function RequestTable({ items }: { items: readonly RequestSummary[] }) {
  const heads = [text.latency, text.ttft, text.tokens, text.cost];
  return (
    <Table.ScrollContainer minWidth={860}>
      <Table verticalSpacing={5} highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.at}</Table.Th>
            <Table.Th>{text.model}</Table.Th>
            <Table.Th>{text.outcome}</Table.Th>
            {heads.map((head) => (
              <Table.Th key={head} ta="right">
                {head}
              </Table.Th>
            ))}
            <Table.Th>{text.key}</Table.Th>
            <Table.Th>{text.surface}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((item) => (
            <RequestRow key={item.id} item={item} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function RequestRow({ item }: { item: RequestSummary }) {
  const { promptTokens, completionTokens } = item;
  const tokens =
    promptTokens === null && completionTokens === null
      ? unknownValue
      : `${formatTokens(promptTokens)} → ${formatTokens(completionTokens)}`;
  const figures = [
    formatMs(item.latencyMs),
    formatMs(item.ttftMs),
    tokens,
    formatUsd(item.costUsd),
  ];
  return (
    <Table.Tr>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <Anchor component={Link} href={`/requests/${item.id}`} size="sm">
          {formatSecond(item.at)}
        </Anchor>
      </Table.Td>
      <Table.Td>{modelOf(item)}</Table.Td>
      <Table.Td>
        <Outcome {...item} />
      </Table.Td>
      {figures.map((figure, index) => (
        <Table.Td key={index} ta="right" style={{ whiteSpace: 'nowrap' }}>
          {figure}
        </Table.Td>
      ))}
      <Table.Td>
        <Text size="sm" truncate maw={140}>
          {item.keyName ?? item.keyId ?? text.browser}
        </Text>
      </Table.Td>
      <Table.Td>
        {item.surface}
        {item.stream ? ` · ${text.streamed}` : ''}
      </Table.Td>
    </Table.Tr>
  );
}

/** The status, and the error code where there is one. */
export function Outcome({ status, code }: Pick<RequestSummary, 'status' | 'code'>) {
  const isClient = status >= 400 && status < 500;
  return (
    <Badge
      variant="dot"
      tt="none"
      className="outcome"
      color={code === null ? 'teal' : isClient ? 'orange' : 'red'}
    >
      {code === null ? status : `${status} ${code}`}
    </Badge>
  );
}
