import { Badge, Box, Group, SimpleGrid, Stack, Text, Tooltip } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Caption, CompactButton, Labelled, Note, PlainText } from '../../components/elements.js';
import type { Model } from '../../api/schema.js';
import { type Column, figure, ListTable, column } from '../../components/list-table.js';
import { formatCompact, formatUsd, unknownValue, formatQuality } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { AskNow } from './providers-table.js';

const text = texts.models;

/** Models with price, ability and speed; each opens to show its abilities by kind. */
export function ModelsTable({ models, isAdmin }: { models: readonly Model[]; isAdmin: boolean }) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string): void =>
    setOpened((before) => new Set([...before, id].filter((one) => one !== id || !before.has(id))));
  return (
    <ListTable
      label={texts.common.models}
      columns={columnsOf(opened, toggle)}
      rows={models}
      minWidth={820}
      detailsOf={(model) =>
        opened.has(model.id) ? <ModelDetails model={model} isAdmin={isAdmin} /> : null
      }
    />
  );
}

const columnsOf = (
  opened: ReadonlySet<string>,
  toggle: (id: string) => void,
): readonly Column<Model>[] => [
  column(texts.common.model, (model) => (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <CompactButton
        flex="none"
        aria-expanded={opened.has(model.id)}
        aria-label={`${text.details}: ${model.id}`}
        onClick={() => toggle(model.id)}
      >
        {opened.has(model.id) ? '−' : '+'}
      </CompactButton>
      <ModelName model={model} />
    </Group>
  )),
  column(text.price, ({ prices }) => priceOf(prices)),
  figure(text.context, ({ contextLength }) => formatCompact(contextLength)),
  column(text.ability, ({ quality }) =>
    quality === null ? unknownValue : <Ability quality={quality} />,
  ),
  figure(texts.common.firstToken, ({ ttftMs }) => formatMs(ttftMs)),
  figure(text.speed, speedOf),
];

const speedOf = ({ tokensPerSecond }: Model): string =>
  tokensPerSecond === null
    ? unknownValue
    : fill(texts.common.tokensPerSecond, { count: formatCompact(tokensPerSecond) });

function ModelName({ model: { provider, model, auto, aliases, tools, images } }: { model: Model }) {
  const marks: ReactNode[] = [
    auto ? text.auto : null,
    tools ? text.tools : null,
    images ? text.images : null,
    ...aliases.map((name) => fill(text.alias, { name })),
  ]
    .filter((mark) => mark !== null)
    .map((mark) => (
      <Badge key={mark} variant="default" size="sm" tt="none">
        {mark}
      </Badge>
    ));
  return (
    <Stack gap={2}>
      <PlainText fw={600}>
        <Text span c="dimmed" fw={400} inherit>
          {provider}/
        </Text>
        {model}
      </PlainText>
      <Group gap={4}>{marks}</Group>
    </Stack>
  );
}

const priceOf = ({ input, output }: Model['prices']): string =>
  input === null && output === null
    ? text.unpriced
    : `${formatUsd(input)} ${text.priceIn} · ${formatUsd(output)} ${text.priceOut}`;

const Ability = ({ quality }: { quality: NonNullable<Model['quality']> }) => (
  <Stack gap={2}>
    <AbilityBar
      value={quality.quality}
      interval={quality.interval}
      isGuess={quality.basis === 'guess'}
    />
    <Note>{text.bases[quality.basis]}</Note>
  </Stack>
);

/** A model's abilities by kind of task, its other figures, and a test. */
function ModelDetails({ model, isAdmin }: { model: Model; isAdmin: boolean }) {
  const { quality, prices, maxOutput } = model;
  return (
    <Stack gap="sm" py="xs">
      <Group gap="xl" align="flex-start">
        <Labelled label={text.cached}>{formatUsd(prices.cachedInput)}</Labelled>
        <Labelled label={text.blended}>{formatUsd(prices.blended)}</Labelled>
        <Labelled label={texts.common.longestAnswer}>{formatCompact(maxOutput)}</Labelled>
        {isAdmin ? <AskNow provider={model.provider} model={model.model} /> : null}
      </Group>
      {quality === null ? null : (
        <Box>
          <Caption>{quality.kinds.length > 0 ? text.byKind : text.ability}</Caption>
          <Note mb="xs">
            {text.basisHints[quality.basis]} {text.abilityHint}
          </Note>
          {quality.kinds.length > 0 ? <Kinds kinds={quality.kinds} /> : null}
        </Box>
      )}
    </Stack>
  );
}

const Kinds = ({ kinds }: { kinds: NonNullable<Model['quality']>['kinds'] }) => (
  <SimpleGrid cols={{ base: 1, xs: 2, md: 3, xl: 4 }} spacing="lg" verticalSpacing={6}>
    {kinds.map(({ kind, quality, interval, measured }) => (
      <Group key={kind} justify="space-between" wrap="nowrap" gap="xs">
        <Stack gap={0}>
          <Text size="sm">{kind}</Text>
          {measured ? null : <Note>{text.notMeasured}</Note>}
        </Stack>
        <AbilityBar value={quality} interval={interval} isGuess={!measured} />
      </Group>
    ))}
  </SimpleGrid>
);

interface AbilityBarProps {
  value: number;
  /** Null: it is known for sure. */
  interval: readonly number[] | null;
  /** Paler: nothing was measured. */
  isGuess?: boolean;
}

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;

/** An ability from 0 to 1 as a mark on a line, with a band that holds nine of ten. */
function AbilityBar({ value, interval, isGuess = false }: AbilityBarProps) {
  const [low = value, high = value] = interval ?? [];
  const label = fill(text.abilityLabel, {
    value: formatQuality(value),
    low: formatQuality(low),
    high: formatQuality(high),
  });
  return (
    <Tooltip label={label}>
      <Group gap={6} wrap="nowrap" tabIndex={0} role="img" aria-label={label}>
        <Box pos="relative" w={96} h={10} bg="var(--mantine-color-default-border)" bdrs="xs">
          <Box
            pos="absolute"
            h="100%"
            bdrs="xs"
            bg="var(--mantine-color-blue-5)"
            opacity={isGuess ? 0.3 : 0.55}
            left={percent(low)}
            w={percent(Math.max(0.01, high - low))}
          />
          <Box
            pos="absolute"
            top={-2}
            h={14}
            w={2}
            bg="var(--mantine-color-text)"
            left={percent(Math.min(0.99, value))}
          />
        </Box>
        <Text size="sm" className="figures" w={36} ta="right">
          {formatQuality(value)}
        </Text>
      </Group>
    </Tooltip>
  );
}
