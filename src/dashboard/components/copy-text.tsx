import { Box, CopyButton } from '@mantine/core';
import { CodeRegion, CompactButton } from './elements.js';
import { texts } from '../texts/texts.js';

/** A button that copies a text. */
export function CopyText({ value, label = texts.common.copy }: { value: string; label?: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <CompactButton onClick={copy} aria-live="polite">
          {copied ? texts.common.copied : label}
        </CompactButton>
      )}
    </CopyButton>
  );
}

/** A block of code with a button that copies it. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <Box className="code-block">
      <div>
        <CopyText value={code} />
      </div>
      <CodeRegion label={label}>{code}</CodeRegion>
    </Box>
  );
}
