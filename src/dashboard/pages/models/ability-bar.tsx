import { Box, Group, Text, Tooltip } from '@mantine/core';
import { formatQuality } from '../../format/numbers.js';
import { fill, texts } from '../../texts/texts.js';

const text = texts.models;

interface AbilityBarProps {
  value: number;
  /** Null: it is known for sure. */
  interval: readonly number[] | null;
  /** Paler: nothing was measured. */
  isGuess?: boolean;
}

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;

/** An ability from 0 to 1 as a mark on a line, with a band that holds nine of ten. */
export function AbilityBar({ value, interval, isGuess = false }: AbilityBarProps) {
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
