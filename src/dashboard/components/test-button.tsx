import { Box, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { CompactButton, LongText } from './elements.js';

interface TestButtonProps {
  label: string;
  /** What is tested, for those who do not see what the button stands beside. */
  name: string;
  /** Tries it, and tells in words what came of it. */
  test: () => Promise<{ ok: boolean; words: string }>;
}

/** A button that tries something, and what came of it. */
export function TestButton({ label, name, test }: TestButtonProps) {
  const { data, error, isPending, mutate } = useMutation({ mutationFn: test });
  const isBad = error !== null || data?.ok === false;
  return (
    <Group gap="4px 12px">
      <CompactButton loading={isPending} aria-label={name} onClick={() => mutate()}>
        {label}
      </CompactButton>
      <Box role="status" maw={560}>
        <LongText c={isBad ? 'var(--mantine-color-error)' : 'dimmed'}>
          {error?.message ?? data?.words ?? ''}
        </LongText>
      </Box>
    </Group>
  );
}
