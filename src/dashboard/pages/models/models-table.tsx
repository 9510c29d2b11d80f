import { Badge, Box, Button, Group, Stack, Table, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Schema } from '../../api/client.js';
import { formatCompact, formatUsd } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { AbilityBar } from './ability-bar.js';
import { ModelDetails } from './model-details.js';
import { priceShare } from './scales.js';

const text = texts.models;

/** A model as the list has it. */
export type Model = Schema<'DescribedModelResponse'>;

/** Models with price, ability and speed; each opens to show its abilities by kind. */
export function ModelsTable({ models, isAdmin }: { models: readonly Model[]; isAdmin: boolean }) {
  const prices = models.map(({ prices }) => prices.blended);
  return (
    <Table.ScrollContainer minWidth={820}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.model}</Table.Th>
            <Table.Th>{text.price}</Table.Th>
            <Table.Th ta="right">{text.context}</Table.Th>
            <Table.Th>{text.ability}</Table.Th>
            <Table.Th ta="right">{text.ttft}</Table.Th>
            <Table.Th ta="right">{text.speed}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {models.map((model) => (
            <ModelRow
              key={model.id}
              model={model}
              isAdmin={isAdmin}
              share={priceShare(model.prices.blended, prices)}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface ModelRowProps {
  model: Model;
  isAdmin: boolean;
  share: number | null;
}

function ModelRow({ model, isAdmin, share }: ModelRowProps) {
  const [opened, setOpened] = useState(false);
  const { contextLength, quality, ttftMs, tokensPerSecond } = model;
  const speed = tokensPerSecond === null ? null : fill(text.perSecond, { count: tokensPerSecond });
  return (
    <>
      <Table.Tr>
        <Table.Td>
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <Opener opened={opened} label={model.id} onClick={() => setOpened(!opened)} />
            <ModelName model={model} />
          </Group>
        </Table.Td>
        <Table.Td>
          <Price prices={model.prices} share={share} />
        </Table.Td>
        <Table.Td ta="right">{formatCompact(contextLength)}</Table.Td>
        <Table.Td>{quality === null ? '–' : <Ability quality={quality} />}</Table.Td>
        <Table.Td ta="right">{formatMs(ttftMs)}</Table.Td>
        <Table.Td ta="right">{speed ?? '–'}</Table.Td>
      </Table.Tr>
      {opened ? <DetailsRow model={model} isAdmin={isAdmin} /> : null}
    </>
  );
}

interface OpenerProps {
  opened: boolean;
  label: string;
  onClick: () => void;
}

/** Stands first in its row, so that a telephone shows it without scrolling. */
const Opener = ({ opened, label, onClick }: OpenerProps) => (
  <Button
    size="compact-sm"
    variant="default"
    aria-expanded={opened}
    aria-label={`${text.details}: ${label}`}
    onClick={onClick}
  >
    {opened ? '−' : '+'}
  </Button>
);

const DetailsRow = ({ model, isAdmin }: Omit<ModelRowProps, 'share'>) => (
  <Table.Tr>
    <Table.Td colSpan={6}>
      {/* stays in sight where the table is wider than the window */}
      <Box pos="sticky" left={10} maw="calc(100vw - 3.5rem)">
        <ModelDetails model={model} isAdmin={isAdmin} />
      </Box>
    </Table.Td>
  </Table.Tr>
);

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
      <Text size="sm" fw={600} className="text-plain">
        <Text span c="dimmed" fw={400} inherit>
          {provider}/
        </Text>
        {model}
      </Text>
      <Group gap={4}>{marks}</Group>
    </Stack>
  );
}

function Price({ prices, share }: { prices: Model['prices']; share: number | null }) {
  const { input, output } = prices;
  if (input === null && output === null) return <Text size="sm">{text.unpriced}</Text>;
  return (
    <Stack gap={4}>
      <Text size="sm" className="figures">
        {formatUsd(input)} {text.priceIn} · {formatUsd(output)} {text.priceOut}
      </Text>
      <Box h={4} w={120} bg="var(--mantine-color-default-border)" bdrs="xs" aria-hidden>
        <Box h="100%" bdrs="xs" bg="var(--mantine-color-teal-6)" w={`${(share ?? 0) * 100}%`} />
      </Box>
    </Stack>
  );
}

const Ability = ({ quality }: { quality: NonNullable<Model['quality']> }) => (
  <Stack gap={2}>
    <AbilityBar
      value={quality.quality}
      interval={quality.interval}
      isGuess={quality.basis === 'guess'}
    />
    <Text size="xs" c="dimmed">
      {text.bases[quality.basis]}
    </Text>
  </Stack>
);
