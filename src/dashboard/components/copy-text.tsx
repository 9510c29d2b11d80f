import { Box, Button, Code, CopyButton } from '@mantine/core';
import { texts } from '../texts/texts.js';

/** A button that copies a text. */
export function CopyText({ value, label = texts.common.copy }: { value: string; label?: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Button size="compact-sm" variant="default" onClick={copy} aria-live="polite">
          {copied ? texts.common.copied : label}
        </Button>
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
      <Code block tabIndex={0} role="region" aria-label={label}>
        {code}
      </Code>
    </Box>
  );
}
