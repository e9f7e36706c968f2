document.querySelectorAll("pre.copy").forEach(function (pre) {
  var box = document.createElement("div"), button = document.createElement("button");
  box.className = "copybox";
  button.className = "copier";
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", function () {
    function chosen() {
      getSelection().selectAllChildren(pre);
      button.textContent = "Selected";
    }
    if (!navigator.clipboard) return chosen();
    navigator.clipboard.writeText(pre.textContent).then(function () { button.textContent = "Copied"; }, chosen);
  });
  pre.replaceWith(box);
  box.append(pre, button);
});
