document.querySelectorAll("pre.copy").forEach(function (pre) {
  var line = document.createElement("p"), button = document.createElement("button");
  line.className = "copyline";
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
  line.appendChild(button);
  pre.after(line);
});
