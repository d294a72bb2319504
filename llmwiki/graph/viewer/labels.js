// Names on the canvas: the highest-ranked first, none over another.

const LABELS = 130; // labels of one frame
const SEATS = 2500; // pages of one frame that labels keep clear of
const LABEL_CUT = 34; // characters of a label
const INSIDE = 20; // radius from which a bubble has its name inside
const COUNTED = 28; // radius from which it has its size there too

function short(text, length) {
  const letters = text.length <= length ? null : [...text];
  if (!letters || letters.length <= length) return text;
  return letters.slice(0, length - 1).join("").trimEnd() + "…";
}

/** What of the screen is taken: rectangles by the cells of a coarse grid. */
function makeRoom() {
  const taken = new Map(), cell = 64;
  function* near([x0, y0, x1, y1]) {
    for (let c = Math.floor(x0 / cell); c <= Math.floor(x1 / cell); c++) {
      for (let r = Math.floor(y0 / cell); r <= Math.floor(y1 / cell); r++) yield c * 4096 + r;
    }
  }
  const over = (a, b) => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];
  return {
    free(box) {
      for (const key of near(box)) {
        if (taken.has(key) && taken.get(key).some((each) => over(box, each))) return false;
      }
      return true;
    },
    take(box) {
      for (const key of near(box)) {
        if (!taken.has(key)) taken.set(key, []);
        taken.get(key).push(box);
      }
    },
  };
}

/** Writers of labels. `screen` has the size and the look, `place` a node's [x, y, radius] on it. */
function makeLabels(app, screen, place) {
  const measure = document.createElement("canvas").getContext("2d");
  const widths = new Map();

  const font = (size, bold) => `${bold ? "600 " : ""}${size}px ${screen.look.font}`;

  function widthOf(text, name) {
    const key = name + text;
    let width = widths.get(key);
    if (width === undefined) {
      if (widths.size > 20000) widths.clear();
      measure.font = name;
      widths.set(key, width = measure.measureText(text).width);
    }
    return width;
  }

  function write(pen, text, x, y, name, ink) {
    pen.font = name; pen.textAlign = "center"; pen.textBaseline = "middle"; pen.lineJoin = "round";
    pen.strokeStyle = screen.look.ground; pen.lineWidth = 3.5; pen.globalAlpha = 0.9;
    pen.strokeText(text, x, y);
    pen.globalAlpha = 1; pen.fillStyle = ink;
    pen.fillText(text, x, y);
  }

  /** A name in lines that fit a circle; what does not fit ends in an ellipsis. */
  function lines(text, across, most, name) {
    const rows = [];
    const fits = (part) => widthOf(part, name) <= across;
    const cutTo = (part) => {
      let end = part;
      while (end && !fits(`${end}…`)) end = end.slice(0, -1);
      return `${end.trimEnd()}…`;
    };
    for (const word of short(text, 80).split(" ")) {
      const longer = rows.length ? `${rows[rows.length - 1]} ${word}` : word;
      if (rows.length && fits(longer)) rows[rows.length - 1] = longer;
      else if (rows.length === most) { rows[most - 1] = cutTo(longer); break; }
      else rows.push(fits(word) ? word : cutTo(word));
    }
    return rows;
  }

  /** A bubble's name and size inside it. */
  function inside(pen, k, x, y, r) {
    const size = Math.round(Math.max(10, Math.min(17, r / 3.6))), tall = size * 1.16;
    const name = font(size, true), below = r > COUNTED ? 13 : 0;
    const most = Math.max(1, Math.floor((r * 1.45 - below) / tall));
    const rows = lines(app.scene.label(k), r * 1.66, Math.min(most, 4), name);
    const top = y - (rows.length * tall + below) / 2 + tall / 2;
    pen.globalAlpha = 1; pen.textAlign = "center"; pen.textBaseline = "middle";
    pen.fillStyle = screen.look.ink; pen.font = name;
    rows.forEach((text, q) => pen.fillText(text, x, top + q * tall));
    if (!below) return;
    pen.font = font(11); pen.fillStyle = screen.look.quiet;
    pen.fillText(number(app.sizeOf(app.scene.id[k])), x, top + rows.length * tall);
  }

  /** Names of the bubbles in `list`; yields what each cost, in edges drawn. */
  function* bubbles(pen, camera, list) {
    const room = makeRoom(), outside = [];
    for (const k of list) {
      const [x, y, r] = place(k, camera);
      if (!app.shown[k] || x < -r || y < -r || x > screen.wide + r || y > screen.high + r) continue;
      room.take([x - r, y - r, x + r, y + r]);
      if (r < INSIDE) { outside.push([k, x, y + r + 9]); continue; }
      inside(pen, k, x, y, r);
      yield 40;
    }
    for (const [k, x, y] of outside) {
      const text = short(app.scene.label(k), LABEL_CUT), name = font(11);
      const half = widthOf(text, name) / 2 + 3, box = [x - half, y - 8, x + half, y + 8];
      if (!room.free(box)) continue;
      room.take(box);
      write(pen, text, x, y, name, screen.look.ink);
      yield 40;
    }
  }

  /** Where in sight the pages of `list` are, the first ones; what they cover is taken in `bodies`. */
  function seatsOf(list, camera, bodies) {
    const seats = [];
    for (const k of list) {
      if (!app.shown[k]) continue;
      const [x, y, r] = place(k, camera);
      if (x < -20 || y < -20 || x > screen.wide + 20 || y > screen.high + 20) continue;
      if (r > 2.5) bodies.take([x - r, y - r, x + r, y + r]);
      seats.push([k, x, y, r]);
      if (seats.length >= SEATS) break;
    }
    return seats;
  }

  /**
   * Names beside pages: of those in `wanted`, or of all that are large enough to be looked for. Each
   * stands below, beside or above its page, where it covers no other name and no page; the first
   * page of a group gets its name even over pages.
   */
  function pages(pen, camera, wanted) {
    const { scene } = app, bodies = makeRoom(), taken = makeRoom(), names = [];
    for (const [k, x, y, r] of seatsOf(wanted || scene.order, camera, bodies)) {
      if (names.length >= LABELS) break;
      const first = scene.first.has(k) && scene.n > 40;
      if (!wanted && !first && r < 3.2) continue;
      const size = first || r > 12 ? 13 : r > 7 ? 12 : 11, name = font(size, first || r > 12);
      const text = short(scene.label(k), LABEL_CUT);
      const half = widthOf(text, name) / 2 + 2, tall = size * 0.6;
      const down = r + tall + 2.5, side = r + half + 3;
      const boxes = [[0, down], [side, 0], [-side, 0], [0, -down]]
        .map(([dx, dy]) => [x + dx - half, y + dy - tall, x + dx + half, y + dy + tall])
        .filter((box) => box[0] > 2 && box[2] < screen.wide - 2 && taken.free(box));
      const must = (first && !wanted) || !names.length;
      const box = boxes.find(bodies.free) || (must ? boxes[0] : null);
      if (!box) continue;
      taken.take(box);
      const ink = r > 5 || first || wanted ? screen.look.ink : screen.look.quiet;
      names.push([text, (box[0] + box[2]) / 2, (box[1] + box[3]) / 2, name, ink]);
    }
    for (const each of names.reverse()) write(pen, ...each);
  }

  return { bubbles, pages, forget: () => widths.clear() };
}
