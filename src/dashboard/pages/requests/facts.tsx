import { Alert, Anchor, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Panel } from '../../components/panel.js';
import { formatCount, formatUsd } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import type { RequestDetails } from '../../api/schema.js';
import { Outcome } from './request-table.js';

const list = texts.requests;
const text = texts.requests.detail;

/** What the request took and how it ended. */
export function Facts({ request }: { request: RequestDetails }) {
  const { code, error, field } = request;
  return (
    <Stack gap="sm">
      {code === null ? null : (
        <Alert color="red" title={fill(text.failedTitle, { code })}>
          <Text size="sm" className="text-plain">
            {error ?? code}
          </Text>
          {field === null ? null : (
            <Text size="sm">
              {text.field}: {field}
            </Text>
          )}
        </Alert>
      )}
      <Panel title={text.figures}>
        <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
          {figuresOf(request).map(([label, value]) => (
            <Fact key={label} label={label}>
              {value}
            </Fact>
          ))}
        </SimpleGrid>
      </Panel>
    </Stack>
  );
}

function figuresOf(request: RequestDetails): [string, ReactNode][] {
  const { conversationId, shadow, keyName, keyId } = request;
  return [
    [text.status, <Outcome key="status" {...request} isShort />],
    [list.latency, formatMs(request.latencyMs)],
    [list.ttft, formatMs(request.ttftMs)],
    [
      list.tokens,
      `${formatCount(request.promptTokens)} → ${formatCount(request.completionTokens)}`,
    ],
    [list.cost, formatUsd(request.costUsd)],
    [text.outputRate, outputRate(request)],
    [list.surface, `${request.surface}${request.stream ? ` · ${list.streamed}` : ''}`],
    [list.key, keyName ?? keyId ?? list.browser],
    [text.account, request.accountId],
    [text.requestId, request.requestId],
    ...(conversationId === null
      ? []
      : [link(text.conversation, `/conversations/${conversationId}`, text.open)]),
    ...(shadow === null || shadow === undefined
      ? []
      : [link(text.shadow, `/requests/${shadow}`, text.openShadow)]),
  ];
}

const link = (label: string, href: string, words: string): [string, ReactNode] => [
  label,
  <Anchor key={href} component={Link} href={href} size="sm">
    {words}
  </Anchor>,
];

function outputRate({ latencyMs, ttftMs, completionTokens }: RequestDetails): string {
  if (ttftMs === null || completionTokens === null || latencyMs - ttftMs < 50)
    return formatMs(null);
  const perSecond = (completionTokens / (latencyMs - ttftMs)) * 1_000;
  return fill(text.tokensPerSecond, { count: formatCount(Math.round(perSecond)) });
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <Stack gap={0} miw={0}>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Group className="figures" style={{ overflowWrap: 'anywhere' }}>
      <Text size="sm" component="div" miw={0}>
        {children}
      </Text>
    </Group>
  </Stack>
);
