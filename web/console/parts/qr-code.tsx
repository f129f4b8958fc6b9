import { correction, generate } from 'lean-qr';
import { toSvgPath } from 'lean-qr/extras/svg';
import { useMemo } from 'preact/hooks';

/** The number of white modules on each side. Scanners need this margin to find the code. */
const margin = 4;

/** A QR code. It is black on white in dark colours too. Scanners read it even if 15 % of it is covered. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const code = generate(text, { minCorrectionLevel: correction.M });
    return { size: code.size, path: toSvgPath(code) };
  }, [text]);
  const side = size + 2 * margin;
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`${-margin} ${-margin} ${side} ${side}`} shape-rendering="crispEdges">
      <path d={path} fill="#000" />
    </svg>
  );
}
