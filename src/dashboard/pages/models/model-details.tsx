import { Box, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { Model } from '../../api/schema.js';
import { formatCompact, formatUsd } from '../../format/numbers.js';
import { texts } from '../../texts/texts.js';
import { AbilityBar } from './ability-bar.js';
import { TestButton } from './test-button.js';

const text = texts.models;

interface ModelDetailsProps {
  model: Model;
  isAdmin: boolean;
}

/** A model's abilities by kind of task, its other figures, and a test. */
export function ModelDetails({ model, isAdmin }: ModelDetailsProps) {
  const { quality, prices, maxOutput } = model;
  return (
    <Stack gap="sm" py="xs">
      <Group gap="xl" align="flex-start">
        <Figure label={text.cached} value={formatUsd(prices.cachedInput)} />
        <Figure label={text.blended} value={formatUsd(prices.blended)} />
        <Figure label={text.maxOutput} value={formatCompact(maxOutput)} />
        {isAdmin ? <TestButton provider={model.provider} model={model.model} /> : null}
      </Group>
      {quality === null ? null : (
        <Box>
          <Text size="sm" fw={600}>
            {quality.kinds.length > 0 ? text.byKind : text.ability}
          </Text>
          <Text size="xs" c="dimmed" mb="xs">
            {text.basisHints[quality.basis]} {text.abilityHint}
          </Text>
          {quality.kinds.length > 0 ? <Kinds kinds={quality.kinds} /> : null}
        </Box>
      )}
    </Stack>
  );
}

const Figure = ({ label, value }: { label: string; value: string }) => (
  <Stack gap={0}>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Text size="sm" className="figures">
      {value}
    </Text>
  </Stack>
);

type KindsOfTask = NonNullable<Model['quality']>['kinds'];

const Kinds = ({ kinds }: { kinds: KindsOfTask }) => (
  <SimpleGrid cols={{ base: 1, xs: 2, md: 3, xl: 4 }} spacing="lg" verticalSpacing={6}>
    {kinds.map(({ kind, quality, interval, measured }) => (
      <Group key={kind} justify="space-between" wrap="nowrap" gap="xs">
        <Stack gap={0}>
          <Text size="sm">{kind}</Text>
          {measured ? null : (
            <Text size="xs" c="dimmed">
              {text.notMeasured}
            </Text>
          )}
        </Stack>
        <AbilityBar value={quality} interval={interval} isGuess={!measured} />
      </Group>
    ))}
  </SimpleGrid>
);
